/**
 * How many runs of agents have led to a request, in a member of the W3C `tracestate` header: agents that call the service again must not
 * nest forever. The header is used whether or not the request is traced.
 */

const member = 'agent-hosting';
/** The standard's limit. */
const maxMembers = 32;

/** 0 unless the header says otherwise. What it says is the client's word, which can only restrict that client. */
export function hopsIn(header: string | string[] | undefined): number {
  const text = membersOf(header).find((own) => own.startsWith(`${member}=`));
  const [, hops] = /=d:(\d{1,3})$/.exec(text ?? '') ?? [];
  return Number(hops ?? 0);
}

/** A changed member comes first; those of others keep their order. */
export function traceStateWith(hops: number, header: string | undefined): string {
  const others = membersOf(header).filter((other) => !other.startsWith(`${member}=`));
  return [`${member}=d:${hops}`, ...others].slice(0, maxMembers).join(',');
}

function membersOf(header: string | string[] | undefined): string[] {
  const text = [header ?? []].flat().join(',');
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
