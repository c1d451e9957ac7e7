/**
 * The input and output types of every operation, derived from the generated types. Nothing is listed by hand, so a
 * missing operation, an undocumented status or a wrong body is a compile error.
 */
import type { InvocationEvent, operations } from '../../generated/api.js';
import type { OperationId, Query } from '../../generated/operations.js';
import type { OperationResponse } from './response.js';

/** One function per operation of the contract. `Context` is what the service adds to the request, such as the caller. */
export type Operations<Context> = {
  [Id in OperationId]: (input: Input<Id>, context: Context) => Promise<Output<Id>>;
};

/** Any of those functions. Its input type differs per operation, so it cannot be named here. */
export type AnyOperation<Context> = (input: never, context: Context) => Promise<OperationResponse>;

/** A validated request, with the contract's defaults filled in. */
export interface Input<Id extends OperationId> {
  path: Parameters<Id, 'path'>;
  query: Query<Id>;
  headers: LowerCased<Parameters<Id, 'header'>>;
  body: Body<Id>;
}

/** Any successful response that the contract documents. Errors are thrown, and become responses in one place. */
export type Output<Id extends OperationId> = {
  [Status in SuccessStatus<Id>]: Reply<Status, operations[Id]['responses'][Status]>;
}[SuccessStatus<Id>];

type Parameters<Id extends OperationId, Location extends 'path' | 'header'> = [
  NonNullable<operations[Id]['parameters'][Location]>,
] extends [never]
  ? object
  : NonNullable<operations[Id]['parameters'][Location]>;

type LowerCased<Headers> = {
  [Name in keyof Headers as Name extends string ? Lowercase<Name> : never]: Headers[Name];
};

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } };
}
  ? Content
  : undefined;

type SuccessStatus<Id extends OperationId> = {
  [Status in keyof operations[Id]['responses']]: Status extends number
    ? `${Status}` extends `2${string}`
      ? Status
      : never
    : never;
}[keyof operations[Id]['responses']];

type Reply<Status, Response> =
  | ({ status: Status; headers?: ReplyHeaders<Response> } & JsonContent<Response>)
  | StreamedReply<Status, Response>;

type JsonContent<Response> = Response extends { content: { 'application/json': infer Content } }
  ? { body: Content }
  : { body?: undefined };

/** A response as server-sent events, where the contract offers them. Every stream carries invocation events. */
type StreamedReply<Status, Response> = Response extends { content: { 'text/event-stream': string } }
  ? { status: Status; headers?: ReplyHeaders<Response>; events: AsyncIterable<InvocationEvent> }
  : never;

/** The documented headers only: the generated types also have an index signature for any other name. */
type ReplyHeaders<Response> = Response extends { headers: infer Headers }
  ? {
      [
        Name in keyof Headers as string extends Name ? never : number extends Name ? never : Name
      ]?: Headers[Name];
    }
  : never;
