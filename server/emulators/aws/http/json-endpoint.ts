import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { durationOf } from "../../shared/faults.ts";
import { type Answer, readBody } from "../../shared/http/answer.ts";
import { pause } from "../../shared/timers.ts";
import { Ec2Error } from "../ec2-error.ts";
import { JSON_ACTIONS } from "../json-actions/registry.ts";
import { regionOfRequest, requireCurrentSignature } from "../wire/credential.ts";
import type { World } from "../world.ts";

const MAX_BODY_BYTES = 64 * 1024;

/** Service Quotas and the price list use JSON 1.1 and name the action in a header; EC2's own protocol has no such header. */
export function isForJsonService(request: IncomingMessage): boolean {
	return request.headers["x-amz-target"] !== undefined;
}

/** Handles one call of the JSON 1.1 protocol. Returns null if the connection must be cut without a response. */
export async function answerJsonService(world: World, request: IncomingMessage, nowMs: number | null): Promise<Answer | null> {
	const target = String(request.headers["x-amz-target"]);
	try {
		requireCurrentSignature(request.headers, nowMs);
		const body = await perform(world, request, target);
		world.options.log(`${target} ${body === null ? "(answer lost)" : "ok"}`);
		return body === null ? null : jsonAnswer(200, body);
	} catch (error) {
		const failure = error instanceof Ec2Error ? error : new Ec2Error("InternalFailure", `The emulator failed: ${String(error)}`, 500);
		// The JSON protocol's name for EC2's AuthFailure.
		const code = failure.code === "AuthFailure" ? "UnrecognizedClientException" : failure.code;
		world.options.log(`${target} ${code}`);
		return jsonAnswer(failure.code === "AuthFailure" ? 400 : failure.httpStatus, { __type: code, message: failure.message });
	}
}

async function perform(world: World, request: IncomingMessage, target: string): Promise<unknown> {
	const text = await readBody(request, MAX_BODY_BYTES);
	const action = JSON_ACTIONS.get(target);
	if (!action) throw new Ec2Error("UnknownOperationException", `The emulated endpoint does not implement ${target}.`);
	const { accessKeyIds } = world.options;
	const regions = action.regions ?? world.catalog.regions;
	const region = regionOfRequest(request.headers.authorization, accessKeyIds, regions, action.service);
	const run = action.prepare(readJson(text), { world, region });
	const behaviours = world.faults.take("entrance", {
		action: action.name,
		region: action.regions ? `${action.service}/${region}` : region,
	});
	await pause(world.options, durationOf(behaviours, "delay_action"));
	const answer = run();
	await pause(world.options, durationOf(behaviours, "delay_answer"));
	return behaviours.some(({ kind }) => kind === "lose_answer") ? null : answer;
}

function readJson(text: string | null): unknown {
	if (text === null) throw new Ec2Error("SerializationException", `The request is longer than ${MAX_BODY_BYTES} bytes.`, 413);
	try {
		return JSON.parse(text);
	} catch {
		throw new Ec2Error("SerializationException", "The request is no JSON.");
	}
}

function jsonAnswer(status: number, value: unknown): Answer {
	const headers = { "x-amzn-requestid": randomUUID() };
	return { status, contentType: "application/x-amz-json-1.1", body: JSON.stringify(value), headers };
}
