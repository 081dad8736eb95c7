import type { IncomingMessage } from "node:http";
import { durationOf } from "../../shared/faults.ts";
import { type Answer, jsonAnswer, readBody } from "../../shared/http/answer.ts";
import { pause } from "../../shared/timers.ts";
import type { Call, GceAction } from "../actions/action.ts";
import { ACTIONS } from "../actions/registry.ts";
import { GceError, notFound } from "../gce-error.ts";
import { accountOf } from "../wire/token.ts";
import type { World } from "../world.ts";

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Handles one call of Compute Engine's REST API. Returns null if the connection must be cut without a response.
 * @param nowMs clock for checking tokens; null: this computer's
 */
export async function answerCompute(world: World, request: IncomingMessage, path: string, nowMs: number | null): Promise<Answer | null> {
	const name = `${request.method} ${path}`;
	try {
		const { view, lost } = await perform(world, request, path, nowMs ?? Date.now());
		world.options.log(`${name} ok${lost ? " (answer lost)" : ""}`);
		return lost ? null : jsonAnswer(200, view);
	} catch (error) {
		const refusal = error instanceof GceError ? error : new GceError("internalError", `The emulator failed: ${String(error)}`);
		world.options.log(`${name} ${refusal.reason}`);
		return refusalAnswer(refusal);
	}
}

async function perform(
	world: World,
	request: IncomingMessage,
	path: string,
	nowMs: number,
): Promise<{ view: Record<string, unknown>; lost: boolean }> {
	const body = await readBody(request, MAX_BODY_BYTES);
	if (body === null) throw new GceError("invalid", `The request is longer than ${MAX_BODY_BYTES} bytes.`, 413);
	const account = accountOf(request.headers.authorization, world.options.accounts, nowMs);
	const { action, params } = findAction(request.method ?? "", path);
	if (!action.anyProject && params["project"] !== world.options.project) throw notFound(`projects/${params["project"]}`);
	const query = new URL(request.url ?? "/", world.url()).searchParams;
	const delays = { terminationMs: 0 };
	const call: Call = { world, account, params, query, body: action.read(query, readJson(body)), delays };
	const behaviours = world.faults.take("entrance", action.facts(call));
	delays.terminationMs = durationOf(behaviours, "slow_termination");
	await pause(world.options, durationOf(behaviours, "delay_action"));
	const view = action.run(call);
	await pause(world.options, durationOf(behaviours, "delay_answer"));
	return { view, lost: behaviours.some(({ kind }) => kind === "lose_answer") };
}

function findAction(method: string, path: string): { action: GceAction; params: Record<string, string> } {
	for (const action of ACTIONS) {
		const params = action.match(method, path);
		if (params) return { action, params: Object.fromEntries(Object.entries(params).map(([key, text]) => [key, decodeURIComponent(text)])) };
	}
	throw new GceError("notFound", `The emulated Compute Engine endpoint has no ${method} ${path}.`);
}

function readJson(body: string): unknown {
	try {
		return body === "" ? {} : JSON.parse(body);
	} catch {
		throw new GceError("invalid", "Invalid JSON payload received.");
	}
}

function refusalAnswer({ reason, message, httpStatus }: GceError): Answer {
	return jsonAnswer(httpStatus, { error: { code: httpStatus, message, errors: [{ message, domain: "global", reason }] } });
}
