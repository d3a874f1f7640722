/** Rolls back the running batch of a cancelled operation. */
export class EndedMeanwhile extends Error {
  constructor() {
    super('the operation has ended meanwhile');
  }
}
