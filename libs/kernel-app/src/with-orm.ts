import { MikroORM, type Options } from '@mikro-orm/postgresql';

/** Runs `work` on separate connections and closes them. */
export async function withOrm<Result>(options: Options, work: (orm: MikroORM) => Promise<Result>): Promise<Result> {
  const orm = await MikroORM.init({ ...options, pool: { min: 0, max: 2 } });
  try {
    return await work(orm);
  } finally {
    await orm.close(true);
  }
}
