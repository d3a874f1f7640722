/** Rolls a batch back whose operation was cancelled while it was under way. */
export class EndedMeanwhile extends Error {
  constructor() {
    super('the operation has ended meanwhile');
  }
}
