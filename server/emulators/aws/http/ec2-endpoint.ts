import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { durationOf } from "../../shared/faults.ts";
import { type Answer, readBody } from "../../shared/http/answer.ts";
import { pause } from "../../shared/timers.ts";
import { ACTIONS } from "../actions/registry.ts";
import { Ec2Error, missingParameter } from "../ec2-error.ts";
import { regionOfRequest, requireCurrentSignature } from "../wire/credential.ts";
import { encodeError } from "../wire/encode-response.ts";
import type { World } from "../world.ts";

const API_VERSION = "2016-11-15";
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Handles one call of the EC2 Query protocol. Returns null if the connection must be cut without a response.
 * @param nowMs clock for checking the dates of signatures; null: not checked
 */
export async function answerEc2(world: World, request: IncomingMessage, nowMs: number | null): Promise<Answer | null> {
	const requestId = randomUUID();
	const call = { action: "?", region: "?" };
	try {
		const form = await readForm(request);
		requireCurrentSignature(request.headers, nowMs);
		call.region = regionOfRequest(request.headers.authorization, world.options.accessKeyIds, world.catalog.regions);
		call.action = form.get("Action") ?? "";
		const { xml, lost } = await perform(world, call.region, form, requestId);
		world.options.log(`${call.action} ${call.region} ok${lost ? " (answer lost)" : ""}`);
		return lost ? null : xmlAnswer(200, xml, requestId);
	} catch (error) {
		const ec2Error = error instanceof Ec2Error ? error : new Ec2Error("InternalError", `The emulator failed: ${String(error)}`);
		world.options.log(`${call.action} ${call.region} ${ec2Error.code}`);
		return xmlAnswer(ec2Error.httpStatus, encodeError(ec2Error, requestId), requestId);
	}
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
	const body = await readBody(request, MAX_BODY_BYTES);
	if (request.method !== "POST") throw new Ec2Error("InvalidAction", "This endpoint takes EC2 Query requests by POST.", 405);
	if (body === null) throw new Ec2Error("MalformedQueryString", `The request is longer than ${MAX_BODY_BYTES} bytes.`, 413);
	return new URLSearchParams(body);
}

async function perform(world: World, region: string, form: URLSearchParams, requestId: string): Promise<{ xml: string; lost: boolean }> {
	const name = form.get("Action");
	if (!name) throw missingParameter("Action");
	if (form.get("Version") !== API_VERSION)
		throw new Ec2Error("NoSuchVersion", `The requested version is not supported; this endpoint speaks ${API_VERSION}.`);
	const action = ACTIONS.get(name);
	if (!action) throw new Ec2Error("InvalidAction", `The action ${name} is not valid for this web service.`);
	const delays = { terminationMs: 0 };
	const prepared = action.prepare({ world, region, requestId, form, delays });
	const behaviours = world.faults.take("entrance", prepared.facts);
	delays.terminationMs = durationOf(behaviours, "slow_termination");
	await pause(world.options, durationOf(behaviours, "delay_action"));
	const xml = prepared.run();
	await pause(world.options, durationOf(behaviours, "delay_answer"));
	return { xml, lost: behaviours.some(({ kind }) => kind === "lose_answer") };
}

function xmlAnswer(status: number, body: string, requestId: string): Answer {
	return { status, contentType: "text/xml;charset=UTF-8", body, headers: { "x-amzn-requestid": requestId } };
}
