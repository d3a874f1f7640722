const WIDTH = 30;

export function renderProgress({ done, total }: { done: number; total: number }): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.round(share * WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} % ${done}/${total}`;
}
