import type { ComponentChildren } from 'preact';

/** The properties of one thing, name beside value. */
export function Facts({ facts }: { facts: readonly [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
