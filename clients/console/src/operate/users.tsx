// Everybody of the tenant: who has a key, and who has asked.
import { Role } from "@gen/assay/common/v1/access_pb";

import { operation } from "../mesh/calls";
import { useLoaded } from "../mesh/loading";
import { moment, told } from "../words/numbers";
import { Part } from "./part";

export const ROLE_WORDS: Record<Role, string> = {
  [Role.UNSPECIFIED]: "no token",
  [Role.READER]: "reader",
  [Role.ANALYST]: "analyst",
  [Role.OPERATOR]: "operator",
};

export function Users() {
  const loaded = useLoaded(async (signal) => (await operation.listUsers({}, { signal })).users, []);
  return (
    <Part title="Users" means="Everyone who has a token, or has asked for a job. People who sign in with a provider are listed once they have asked; their role comes from the provider." loaded={loaded} none={(list) => (list.length === 0 ? "No users yet." : null)}>
      {(list) => (
        <div class="scroll" tabIndex={0} role="region" aria-label="Users: table">
          <table class="table">
            <thead><tr><th scope="col">Who</th><th scope="col">Role by tokens</th><th scope="col" class="right">Valid tokens</th><th scope="col">Token last used</th><th scope="col" class="right">Jobs</th><th scope="col">Latest job</th></tr></thead>
            <tbody>{list.map((user) => (
              <tr key={user.name}>
                <th scope="row">{user.name ? <a class="breaks" href={`/operate?part=work&by=${encodeURIComponent(user.name)}`}>{user.name}</a> : <span class="muted">the mesh itself, or not recorded</span>}</th>
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
