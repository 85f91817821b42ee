// The mesh: whether each service answers, and what there is to do.
import type { HeldJob, QueueDepth } from "@gen/assay/common/v1/operation_pb";
import { type GetMeshResponse, type Replica, ServiceState, type ServiceStanding } from "@gen/assay/gateway/v1/operator_service_pb";
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { useEffect } from "preact/hooks";

import { operation } from "../mesh/calls";
import { type Loaded, useLoaded } from "../mesh/loading";
import { bytes, count, seconds, told } from "../words/numbers";
import { Part } from "./part";

const FRESH_MILLISECONDS = 10_000;
const STATES: Record<ServiceState, readonly [string, string]> = {
  [ServiceState.UNSPECIFIED]: ["unknown", ""],
  [ServiceState.SERVING]: ["serving", "good"],
  [ServiceState.AWAY]: ["unreachable", "bad"],
  [ServiceState.AT_REST]: ["idle", ""],
};

/** How the mesh is, asked again every ten seconds while the page is seen. */
export function useMesh(): Loaded<GetMeshResponse> {
  const loaded = useLoaded((signal) => operation.getMesh({}, { signal }), []);
  useEffect(() => {
    if (loaded.loading) return;
    const timer = setTimeout(() => !document.hidden && loaded.again(), FRESH_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [loaded.loading, loaded.value]);
  return loaded;
}

export function Services({ mesh }: { mesh: Loaded<GetMeshResponse> }) {
  return (
    <Part title="Services" means="As reached from this gateway. Several processes behind one name have a row each; other gateways are not included." loaded={mesh}>
      {({ services, ofPlatform }) => (
        <div class="scroll" tabIndex={0} role="region" aria-label="Services: table">
          <table class="table">
            <thead><tr><th scope="col">Service</th><th scope="col">State</th><th scope="col">Version</th><th scope="col">Up for</th><th scope="col" class="right">Calls</th>
              {ofPlatform && <><th scope="col" class="right">Memory</th><th scope="col" class="right">Processors</th><th scope="col">Where</th></>}</tr></thead>
            <tbody>{services.flatMap((service) => (service.replicas.length === 0 ? [undefined] : service.replicas).map((replica) => (
              <Line key={`${service.name} ${replica?.instance ?? ""}`} service={service} replica={replica} ofPlatform={ofPlatform} shares={sharing(services, service, replica)} />)))}</tbody>
          </table>
        </div>
      )}
    </Part>
  );
}

/** The service before it that runs in the same process; empty for none. */
function sharing(services: readonly ServiceStanding[], service: ServiceStanding, replica: Replica | undefined): string {
  const first = services.find((one) => one.replicas.some((other) => other.instance === replica?.instance));
  return first && first !== service ? first.name : "";
}

interface LineProps {
  readonly service: ServiceStanding;
  readonly replica: Replica | undefined;
  readonly ofPlatform: boolean;
  readonly shares: string;
}

function Line({ service, replica, ofPlatform, shares }: LineProps) {
  const [word, tone] = STATES[service.state];
  const up = replica ? sinceNow(replica.startedAt) : 0;
  return (
    <tr>
      <th scope="row">{service.name}</th>
      <td><span class={`chip ${tone}`}>{word}</span>{service.reason && <> <code class="small">{service.reason}</code></>}
        {service.state === ServiceState.AT_REST && <span class="small muted"> the next call starts it</span>}</td>
      {replica ? <>
        <td>{replica.version || "unknown"}</td><td class="number">{lasting(up)}</td><td class="right">{told(replica.calls)}</td>
        {ofPlatform && shares && <td colSpan={3} class="small muted">in the process of the {shares}{replica.address && <><br /><code class="breaks">{replica.address}</code></>}</td>}
        {ofPlatform && !shares && <><td class="right">{replica.memoryBytes > 0n ? bytes(replica.memoryBytes) : "unknown"}</td>
          <td class="right" title="Share of one processor since it started">{up > 0 ? `${told(Math.round((inSeconds(replica.processorTime) / up) * 1000) / 10)} %` : ""}</td>
          <td class="small"><span class="breaks">{replica.host}, process {String(replica.processId)}</span>{replica.address && <><br /><code class="small muted breaks">{replica.address}</code></>}</td></>}
      </> : <><td /><td /><td />{ofPlatform && <><td /><td /><td /></>}</>}
    </tr>
  );
}

export function Queue({ mesh }: { mesh: Loaded<GetMeshResponse> }) {
  return (
    <Part title="Queue" means="The queue of your tenant. Tenants take turns; a planner that dies gives up its jobs once their leases expire." loaded={mesh}
      none={({ queue }) => (queue ? null : "The planner cannot be reached, and only it knows.")}>
      {({ queue, wholeQueue, held, mostWaiting, jobsAtOnce }) => (
        <>
          <dl class="pairs">
            <Depth words="your tenant" depth={queue!} most={mostWaiting} />
            {wholeQueue && <Depth words="all tenants" depth={wholeQueue} />}
            <dt>a planner</dt><dd>works on {count(jobsAtOnce, "job")} at once</dd>
          </dl>
          {held.length > 0 && (
            <div class="scroll under" tabIndex={0} role="region" aria-label="Leases: table">
              <table class="table">
                <thead><tr><th scope="col">Running job</th><th scope="col">Asked by</th><th scope="col">Held by planner</th><th scope="col" class="right">Lease left</th><th scope="col" class="right">Time left</th></tr></thead>
                <tbody>{held.map((job) => <Held key={job.jobId} job={job} />)}</tbody>
              </table>
            </div>
          )}
        </>
      )}
    </Part>
  );
}

function Depth({ words, depth, most }: { words: string; depth: QueueDepth; most?: number }) {
  return (
    <><dt>{words}</dt><dd>{count(depth.atWork, "job")} running, {told(depth.waiting)} waiting{most ? ` of at most ${told(most)}` : ""}
      {depth.longestWait && `, the longest for ${seconds(depth.longestWait)}`}</dd></>
  );
}

function Held({ job }: { job: HeldJob }) {
  return (
    <tr>
      <td><a href={`/operate?part=work&job=${job.jobId}`}><code>{job.jobId.slice(0, 8)}</code></a>{job.stopping && <span class="chip warn">stopping</span>}</td>
      <td>{job.askedBy ? <span class="breaks">{job.askedBy}</span> : <span class="muted" title="The mesh itself, or it was not recorded then">—</span>}</td>
      <td><code>{job.holder.slice(0, 8)}</code></td>
      <td class="right">{seconds(job.leaseLeft)}</td>
      <td class="right">{seconds(job.timeLeft)}</td>
    </tr>
  );
}

function sinceNow(time: Timestamp | undefined): number {
  return time ? Math.max(0, Date.now() / 1000 - Number(time.seconds)) : 0;
}

function inSeconds(time: Duration | undefined): number {
  return time ? Number(time.seconds) + time.nanos / 1e9 : 0;
}

/** Days and hours, hours and minutes, or less. */
function lasting(all: number): string {
  const [days, hours, minutes] = [Math.floor(all / 86_400), Math.floor((all % 86_400) / 3600), Math.floor((all % 3600) / 60)];
  if (days > 0) return `${count(days, "day")} ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min` : `${Math.floor(all)} s`;
}
