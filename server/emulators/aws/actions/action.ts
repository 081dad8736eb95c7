import type { CallFacts } from "../../shared/faults.ts";
import { notEmulated } from "../ec2-error.ts";
import { decodeRequest } from "../wire/decode-request.ts";
import { encodeResponse } from "../wire/encode-response.ts";
import { type Ec2Operation, inputShapeOf, operationName, outputShapeOf } from "../wire/shapes.ts";
import type { World } from "../world.ts";

export interface CallContext {
	world: World;
	region: string;
	requestId: string;
	/** The request's parameters, as received. */
	form: URLSearchParams;
	/** Delays that the fault script adds to this call. */
	delays: { terminationMs: number };
}

/** A decoded call: its facts for the fault script, and a function that executes it. */
interface PreparedCall {
	facts: CallFacts;
	/**
	 * Executes the call in one synchronous step and returns the response XML.
	 * @throws Ec2Error
	 */
	run(): string;
}

export interface Ec2Action {
	name: string;
	prepare(context: CallContext): PreparedCall;
}

export interface ActionSpec<Input, Output> {
	/** Amazon's own description of the action. */
	operation: Ec2Operation;
	/** The supported parameters, as paths of member names. A path includes everything below it. */
	supports: readonly string[];
	facts?: (input: Input, context: CallContext) => Omit<CallFacts, "action" | "region">;
	run: (input: Input, context: CallContext) => Output;
}

/** `Input` and `Output` must be the SDK's own types for the operation. */
export function defineAction<Input, Output>(spec: ActionSpec<Input, Output>): Ec2Action {
	const name = operationName(spec.operation);
	return {
		name,
		prepare(context) {
			const { value, paths } = decodeRequest(inputShapeOf(spec.operation), context.form);
			for (const path of paths) {
				if (!spec.supports.some((known) => path === known || path.startsWith(`${known}.`)))
					throw notEmulated(`parameter ${path} of ${name}`);
			}
			const input = asInput<Input>(value);
			return {
				facts: { action: name, region: context.region, ...spec.facts?.(input, context) },
				run: () => encodeResponse(name, outputShapeOf(spec.operation), spec.run(input, context), context.requestId),
			};
		},
	};
}

// decodeRequest returns only fields of the operation's input shape, which the SDK's type describes.
function asInput<Input>(value: Record<string, unknown>): Input {
	return value as Input;
}
