// How sure an answer is, in the words of the other clients.
import { Confidence } from "@gen/assay/common/v1/analysis_pb";

export interface Sureness {
  readonly word: string;
  readonly means: string;
  readonly tone: "good" | "warn" | "bad";
}

const UNSURE: Sureness = { word: "unsure", means: "other readings are likelier than this one is unlikely", tone: "bad" };

export function sureness(confidence: Confidence): Sureness {
  switch (confidence) {
    case Confidence.HIGH:
      return { word: "sure", means: "answers told as sure were right 19 times of 20 where that was measured", tone: "good" };
    case Confidence.MEDIUM:
      return { word: "likely", means: "other readings are possible", tone: "warn" };
    default:
      return UNSURE;
  }
}
