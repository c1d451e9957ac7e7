/** The tools and the choice among them, as both APIs of OpenAI take them. */
import { isObject, type Json, listOf } from './json.js';
import { checkParameters, checkStrictSchema } from './openai-schemas.js';
import { array, boolean, functionName, object, oneOf, string } from './openai-values.js';
import { Rejection } from './rejection.js';

/** `place` is where the function of a tool stands, which differs between the APIs. */
export function checkTools(
  body: Json,
  functionOf: (tool: Json, param: string) => { function: Json; place: string },
): void {
  const { tools, tool_choice: choice } = body;
  if (tools === undefined || tools === null) {
    if (choice !== undefined && choice !== null) {
      throw onlyWithTools('tool_choice');
    }
    if (body['parallel_tool_calls'] !== undefined) throw onlyWithTools('parallel_tool_calls');
    return;
  }
  for (const [index, tool] of array(tools, 'tools', { min: 1, max: 128 }).entries()) {
    const param = `tools[${index}]`;
    const { function: definition, place } = functionOf(object(tool, param), param);
    checkFunction(definition, place);
  }
  boolean(body['parallel_tool_calls'], 'parallel_tool_calls');
  checkChoice(choice);
}

function onlyWithTools(param: string): Rejection {
  return new Rejection(
    `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`,
    { param },
  );
}

function checkFunction(definition: Json, place: string): void {
  const name = functionName(definition['name'], `${place}.name`);
  if (definition['description'] !== undefined) {
    string(definition['description'], `${place}.description`, { max: 1024 });
  }
  boolean(definition['strict'], `${place}.strict`);
  const { parameters } = definition;
  if (parameters === undefined || parameters === null) return;
  const param = `${place}.parameters`;
  const schema = object(parameters, param);
  const owner = { what: `function '${name}'`, param };
  checkParameters(schema, owner);
  if (definition['strict'] === true) checkStrictSchema(schema, owner);
}

function checkChoice(choice: unknown): void {
  if (choice === undefined || choice === null || isObject(choice)) return;
  oneOf(choice, 'tool_choice', ['none', 'auto', 'required']);
}

/** Whether any message says JSON, without which OpenAI refuses to answer in it. */
export function mentionsJson(messages: unknown): boolean {
  return /json/i.test(JSON.stringify(listOf(messages)));
}

/** A format with a schema, in the shape that both APIs share. */
export function checkOutputSchema(format: Json, place: string): void {
  const name = functionName(format['name'], `${place}.name`);
  const schema = object(format['schema'], `${place}.schema`);
  const owner = { what: `response_format '${name}'`, param: `${place}.schema` };
  boolean(format['strict'], `${place}.strict`);
  if (format['strict'] === true) {
    checkParameters(schema, owner);
    checkStrictSchema(schema, owner);
  }
}
