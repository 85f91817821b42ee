// What a job's plan has drawn: pages draw the same.
import type { Job } from "@gen/assay/common/v1/job_pb";

import type { PlotArguments } from "./spec";

export function plotOf(job: Job): PlotArguments | null {
  const step = job.plan?.subtasks.find((one) => one.toolName === "plot.render");
  if (!step) return null;
  const asked = JSON.parse(step.argumentsJson) as PlotArguments;
  return asked.x_col ? asked : null;
}
