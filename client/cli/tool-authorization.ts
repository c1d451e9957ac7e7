/** What the tools of an agent send as their Authorization, from the environment: other users of a machine can read its command lines. */
export function toolAuthorization(): string | undefined {
  const { AGENT_HOSTING_TOOL_AUTHORIZATION: value } = process.env;
  return value === '' ? undefined : value;
}
