// Uploads a CSV file, asks a question of it, and prints answer, table and verification:
//
//   node dist/examples/ask.js localhost:7400 orders.csv "revenue by region"
import { AssayClient, type Job } from "../src/index.js";

const [server, path, question] = process.argv.slice(2);
if (server === undefined || path === undefined || question === undefined) {
  console.error("usage: ask SERVER FILE QUESTION; the token is read from ASSAY_TOKEN");
  process.exit(2);
}
const { ASSAY_TOKEN: token, ASSAY_SERVER_AUTHORITY: authorityFile } = process.env;
const client = new AssayClient(server, { ...(token && { token }), ...(authorityFile && { authorityFile }) });
try {
  const session = await client.openSession(question);
  const file = await client.uploadFile(session.sessionId, path);
  const dataSources = [{ place: { case: "fileId" as const, value: file.fileId } }];
  const constraints = { timeout: { seconds: 120n } };
  await show(await client.ask({ intent: question, dataSources, constraints }, session.sessionId));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  client.close();
}

async function show(job: Job): Promise<void> {
  if (job.clarification !== undefined) {
    console.log("unclear    ", job.clarification.question);
    job.clarification.options.forEach((option, place) => console.log(`             ${place + 1}  ${option.text}`));
    return;
  }
  if (job.result.case !== "answer") {
    throw new Error(`${job.failure?.reason}: ${job.failure?.message} ${job.failure?.hint}`);
  }
  const answer = job.result.value;
  console.log("understood ", job.understood);
  answer.caveats.forEach((caveat) => console.log("note       ", caveat));
  console.log("answer     ", answer.text);
  if (answer.table !== undefined) {
    const table = await client.readFrame(job.jobId, answer.table);
    console.table(table.slice(0, 20).toArray().map((row) => row.toJSON()));
  }
  const { checks } = await client.verify(job.jobId);
  checks.forEach((check) => console.log(check.name.padEnd(11), check.detail));
}
