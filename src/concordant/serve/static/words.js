// The words of the preview and of its questions.

export const ROLES = {
  voter: "Voter",
  item: "Item",
  rank: "Place (1 is best)",
  score: "Score (highest is best)",
  weight: "Weight",
  count: "Count",
  winner: "Winner",
  loser: "Loser",
  left: "First side",
  right: "Second side",
  ranking: "Ranking",
  ignored: "Not used",
  reversed: "Item, the other way round",
};
export const ROLE_UNKNOWN = "Choose …";
export const roleOf = (column) => `Role of column ${column}`;
export const recognisedAs = (role) => `${role} (recognised)`;


export const QUESTION = "A question before this can be solved";
export const HELPS = "What would help";
export const LOOK = "What to know about it";
export const CHOOSE_COLUMN = "Choose a column …";
export const PREVIEW = "The first rows, and what each column means";
export const FIRST_RANKINGS = "So the first rankings are";
export const ORIENTATION = "Swap rows and columns";
export const BEST = "Which number is best?";
export const LOWEST = "1 is best";
export const HIGHEST = "Highest is best";
export const ROW = "Row";
export const leaveOut = (row) => `Leave out row ${row}`;
export const LEFT_OUT = "Rows left out:";
export const putBack = (row) => `Put back ${/^\d+$/.test(row) ? `row ${row}` : row}`;
export const YOURS = "Set by you:";
export const RESET = "Undo all";
export const moreColumns = (count) => `and ${count} more ${count === 1 ? "column" : "columns"}`;
export const noName = (number) => `column ${number}`;
export const openQuestions = (count) =>
  count === 1 ? "one question to answer first" : `${count} questions to answer first`;
