// How sure an answer is, in the words of the other clients.
import { Confidence } from "@gen/assay/common/v1/analysis_pb";

export interface Sureness {
  readonly word: string;
  readonly means: string;
  readonly tone: "good" | "warn" | "bad";
}

const DOUBTFUL: Sureness = { word: "doubtful", means: "of answers like this one, less than 70 % were right, or a check found an error", tone: "bad" };

export function sureness(confidence: Confidence): Sureness {
  switch (confidence) {
    case Confidence.HIGH:
      return { word: "sure", means: "of answers like this one, at least 95 % were right", tone: "good" };
    case Confidence.MEDIUM:
      return { word: "likely", means: "of answers like this one, 70 to 95 % were right; another reading may be meant", tone: "warn" };
    default:
      return DOUBTFUL;
  }
}
