import { z } from 'zod';

const number = (min: number, max: number) => {
  const mayBe = `must be a number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^-?\d{1,9}(\.\d{1,9})?$/, mayBe)
    .transform(Number)
    .refine((value) => value >= min && value <= max, mayBe);
};

const text = z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters');

/** One line of the input, with fields named after its columns. */
export const Observation = z
  .strictObject({
    site_id: z.string().regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1 to 32 letters, digits or -'),
    name: text,
    river: text,
    latitude: number(-90, 90),
    longitude: number(-180, 180),
    observed_at: z.iso.datetime('must be a time like 2025-11-10T06:00:00Z'),
    discharge_cfs: number(0, 9_999_999),
    access: z.enum(['open', 'restricted'], 'must be open or restricted'),
    sovereignty: text,
    governance_ref: text,
  })
  .refine(({ access, sovereignty }) => access === 'open' || sovereignty !== 'none', {
    path: ['sovereignty'],
    message: 'must name who is sovereign over the data of a restricted site',
  });
export type Observation = z.output<typeof Observation>;
