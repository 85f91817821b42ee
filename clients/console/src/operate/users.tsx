// Everybody of the tenant: who has a key, and who has asked.
import { Role } from "@gen/assay/common/v1/access_pb";

import { operation } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { moment, told } from "../words/numbers";
import { Part } from "./part";

export const ROLE_WORDS: Record<Role, string> = {
  [Role.UNSPECIFIED]: "no key",
  [Role.READER]: "reader",
  [Role.ANALYST]: "analyst",
  [Role.OPERATOR]: "operator",
};

export function Users() {
  const loaded = useLoaded(async (signal) => (await operation.listUsers({}, { signal })).users, []);
  return (
    <Part title="Users" means="Who has a key, or has asked for a job. Whoever signs in at a provider is known once they have asked; what they may do, the provider says." loaded={loaded} none={(list) => (list.length === 0 ? "Nobody is known yet." : null)}>
      {(list) => (
        <div class="scroll" tabIndex={0} role="region" aria-label="Users: table">
          <table class="table">
            <thead><tr><th scope="col">Who</th><th scope="col">Role by keys</th><th scope="col" class="right">Good keys</th><th scope="col">Key last used</th><th scope="col" class="right">Jobs</th><th scope="col">Newest job</th></tr></thead>
            <tbody>{list.map((user) => (
              <tr key={user.name}>
                <th scope="row">{user.name ? <a class="breaks" href={`/operate?part=work&by=${encodeURIComponent(user.name)}`}>{user.name}</a> : <span class="muted">the mesh itself, or not kept</span>}</th>
                <td>{user.name ? ROLE_WORDS[user.role] : ""}</td>
                <td class="right">{told(user.keys)}</td>
                <td class="small">{user.keyUsedAt ? moment(user.keyUsedAt) : "never"}</td>
                <td class="right">{told(user.jobs)}</td>
                <td class="small">{moment(user.newestJobAt)}</td>
              </tr>
            ))}</tbody>
          </table>
        </div>
      )}
    </Part>
  );
}
