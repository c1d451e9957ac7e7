/** Where an agent of the user's own listens, as its manifest describes it. */
export interface AgentEndpoint {
  url: string;
  /** References to secrets, by the name of the header. */
  headers?: Record<string, string>;
  /** Files of the certificate to present, and of its key. */
  clientCertificate?: { certFile: string; keyFile: string };
}
