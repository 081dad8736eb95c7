import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { BookedInstance } from "../booked-instance.ts";
import { type FaultControl, faultSpecSchema } from "../faults.ts";
import { type Answer, jsonAnswer, readBody } from "./answer.ts";

const MAX_BODY_BYTES = 64 * 1024;
const interruptSchema = z.strictObject({ instanceId: z.string() });

/** Operations on an emulated cloud from outside. */
export interface Controlled {
	regions: ReadonlySet<string>;
	faults: FaultControl;
	instances(): BookedInstance[];
	/**
	 * Gives a spot instance an interruption notice. Returns null if there is no such instance.
	 * @throws RangeError if it cannot have one
	 */
	interrupt(instanceId: string): { atMs: number; terminateAtMs: number } | null;
}

/**
 * Lets a person or a test control the emulated cloud. None of it belongs to the provider's API. `GET instances` ·
 * `GET|POST|DELETE faults` · `DELETE faults/<id>` · `POST interrupt {instanceId}` · `GET health`
 */
export async function answerControl(cloud: Controlled, request: IncomingMessage, path: string): Promise<Answer> {
	// Browser pages must not use this endpoint.
	if (request.headers.origin !== undefined) return problem(403, "The emulator's control takes no calls from web pages.");
	const route = `${request.method} ${path.slice("/_emulator/".length)}`;
	const body = await readBody(request, MAX_BODY_BYTES);
	if (body === null) return problem(413, `The body is longer than ${MAX_BODY_BYTES} bytes.`);
	try {
		return perform(cloud, route, body);
	} catch (error) {
		if (error instanceof SyntaxError) return problem(400, `The body is not JSON: ${error.message}`);
		if (error instanceof z.ZodError) return problem(400, z.prettifyError(error));
		if (error instanceof RangeError) return problem(409, error.message);
		throw error;
	}
}

function perform(cloud: Controlled, route: string, body: string): Answer {
	switch (route) {
		case "GET health":
			return jsonAnswer(200, { status: "ok", regions: [...cloud.regions] });
		case "GET instances":
			return jsonAnswer(200, { instances: cloud.instances() });
		case "GET faults":
			return jsonAnswer(200, { faults: cloud.faults.list() });
		case "POST faults":
			return jsonAnswer(201, { id: cloud.faults.add(faultSpecSchema.parse(JSON.parse(body))) });
		case "DELETE faults":
			cloud.faults.clear();
			return jsonAnswer(200, { faults: [] });
		case "POST interrupt": {
			const { instanceId } = interruptSchema.parse(JSON.parse(body));
			const notice = cloud.interrupt(instanceId);
			if (notice === null) return problem(404, `There is no instance ${JSON.stringify(instanceId)}.`);
			return jsonAnswer(202, { instanceId, notice });
		}
		default: {
			const faultId = /^DELETE faults\/([a-z0-9-]+)$/.exec(route)?.[1];
			if (faultId !== undefined && cloud.faults.remove(faultId)) return jsonAnswer(200, { id: faultId });
			return problem(404, `The emulator's control has no ${route}.`);
		}
	}
}

function problem(status: number, detail: string): Answer {
	return { ...jsonAnswer(status, { status, title: "The emulator refused this", detail }), contentType: "application/problem+json" };
}
