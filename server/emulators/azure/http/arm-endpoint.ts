import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { durationOf } from "../../shared/faults.ts";
import { type Answer, readBody } from "../../shared/http/answer.ts";
import { isAlive } from "../../shared/machine-record.ts";
import { pause } from "../../shared/timers.ts";
import type { ArmReply } from "../actions/action.ts";
import { actionsAt, type FoundAction } from "../actions/registry.ts";
import { ArmError } from "../arm-error.ts";
import { machineTokenOf } from "../machine.ts";
import type { World } from "../world.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** Source: Microsoft identity platform, "Access token lifetime": at least an hour, plus a few minutes for clock skew. */
const TOKEN_LIFE_MS = HOUR_MS;
const TOKEN_LEEWAY_MS = 5 * MINUTE_MS;

/**
 * Handles one call of Azure Resource Manager. Returns null if the connection must be cut without a response.
 * @param nowMs the clock by which the life of a token is judged, which counts as given just now; null: it is not judged
 */
export async function answerArm(world: World, request: IncomingMessage, nowMs: number | null): Promise<Answer | null> {
	const call = { name: "?", region: "?" };
	try {
		requireCurrentToken(nowMs);
		const { reply, lost } = await perform(world, request, call);
		world.options.log(`${call.name} ${call.region} ${reply.status}${lost ? " (answer lost)" : ""}`);
		return lost ? null : jsonAnswer(reply);
	} catch (error) {
		const refusal = error instanceof ArmError ? error : new ArmError("InternalExecutionError", `The emulator failed: ${String(error)}`);
		world.options.log(`${call.name} ${call.region} ${refusal.code}`);
		const { code, message, httpStatus, retryAfterS } = refusal;
		const headers: Record<string, string> = retryAfterS === null ? {} : { "retry-after": String(retryAfterS) };
		return jsonAnswer({ status: httpStatus, body: { error: { code, message } }, headers });
	}
}

async function perform(
	world: World,
	request: IncomingMessage,
	log: { name: string; region: string },
): Promise<{ reply: ArmReply; lost: boolean }> {
	const url = new URL(request.url ?? "/", world.url());
	const text = await readBody(request, MAX_BODY_BYTES);
	if (text === null) throw new ArmError("RequestContentTooLarge", `The request is longer than ${MAX_BODY_BYTES} bytes.`, 413);
	const caller = callerOf(world, request.headers.authorization);
	const { action, path } = findAction(request.method, url);
	if (caller === "machine" && action.name !== "virtualMachines.delete") throw new ArmError("AuthorizationFailed");
	log.name = action.name;
	checkScope(world, path);
	const delays = { terminationMs: 0 };
	const prepared = await action.prepare({ world, path, query: url.searchParams, headers: request.headers, body: readJson(text), delays });
	log.region = prepared.facts.region;
	const behaviours = world.faults.take("entrance", prepared.facts);
	delays.terminationMs = durationOf(behaviours, "slow_termination");
	await pause(world.options, durationOf(behaviours, "delay_action"));
	const reply = prepared.run();
	await pause(world.options, durationOf(behaviours, "delay_answer"));
	return { reply, lost: behaviours.some(({ kind }) => kind === "lose_answer") };
}

/** @throws ArmError ExpiredAuthenticationToken, InvalidAuthenticationToken */
function requireCurrentToken(nowMs: number | null): void {
	if (nowMs === null) return;
	const ageMs = nowMs - Date.now();
	if (ageMs > TOKEN_LIFE_MS + TOKEN_LEEWAY_MS) throw new ArmError("ExpiredAuthenticationToken");
	if (ageMs < -TOKEN_LEEWAY_MS) throw new ArmError("InvalidAuthenticationToken", "The access token is not yet valid.");
}

/** The account, or a machine by its identity. A machine may only delete machines. */
function callerOf({ options, book }: World, authorization: string | undefined): "account" | "machine" {
	const token = /^Bearer (.+)$/.exec(authorization ?? "")?.[1];
	if (token === undefined) throw new ArmError("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.", 401);
	if (options.accessTokens.includes(token)) return "account";
	if (book.machines().some((machine) => isAlive(machine.state) && machineTokenOf(machine) === token)) return "machine";
	throw new ArmError("InvalidAuthenticationToken");
}

function findAction(method: string | undefined, url: URL): FoundAction {
	const here = actionsAt(url.pathname);
	const found = here.find(({ action }) => action.method === method);
	if (here.length === 0) throw new ArmError("InvalidResourceType", `The emulated Azure endpoint has no ${url.pathname}.`, 404);
	if (!found) throw new ArmError("HttpMethodNotSupported", `The HTTP method '${method}' is not supported here.`, 405);
	const version = url.searchParams.get("api-version");
	const wanted = found.action.apiVersion;
	if (version === null)
		throw new ArmError("MissingApiVersionParameter", "The api-version query parameter (?api-version=) is required for all requests.");
	if (wanted !== null && version !== wanted) {
		throw new ArmError(
			"InvalidApiVersionParameter",
			`The api-version '${version}' is invalid here. The supported versions are '${wanted}'.`,
		);
	}
	return found;
}

function checkScope({ options }: World, { subscriptionId = "", resourceGroupName }: Record<string, string>): void {
	if (subscriptionId.toLowerCase() !== options.subscriptionId.toLowerCase())
		throw new ArmError("SubscriptionNotFound", `The subscription '${subscriptionId}' could not be found.`);
	if (resourceGroupName === undefined) return;
	if (!options.resourceGroups.some((group) => group.toLowerCase() === resourceGroupName.toLowerCase()))
		throw new ArmError("ResourceGroupNotFound", `Resource group '${resourceGroupName}' could not be found.`);
}

function readJson(text: string): unknown {
	if (text === "") return null;
	try {
		return JSON.parse(text);
	} catch {
		throw new ArmError("InvalidRequestContent", "The request content was invalid and could not be deserialized.");
	}
}

function jsonAnswer({ status, body, headers = {} }: ArmReply): Answer {
	const text = body === undefined ? "" : JSON.stringify(body);
	return { status, contentType: "application/json; charset=utf-8", body: text, headers: { "x-ms-request-id": randomUUID(), ...headers } };
}
