import { notEmulated } from "../ec2-error.ts";
import { checkJsonAnswer, checkJsonRequest } from "../wire/json.ts";
import { type Ec2Operation, inputShapeOf, operationName, outputShapeOf } from "../wire/shapes.ts";
import type { World } from "../world.ts";

export interface JsonContext {
	world: World;
	/** The access key that signed the request. */
	region: string;
}

export interface JsonAction {
	name: string;
	/** Name of the service in a signature. */
	service: string;
	/** Regions where the service has endpoints; undefined: every region. */
	regions?: ReadonlySet<string>;
	/**
	 * Parses a request and returns a function that executes it in one synchronous step.
	 * @throws Ec2Error
	 */
	prepare(value: unknown, context: JsonContext): () => unknown;
}

export interface JsonActionSpec<Input, Output> extends Omit<JsonAction, "name" | "prepare"> {
	/** Amazon's own description of the action. */
	operation: Ec2Operation;
	/** The service's code for an invalid request. */
	refusal: string;
	/** The supported fields, as paths. */
	supports: readonly string[];
	run: (input: Input, context: JsonContext) => Output;
}

/** `Input` and `Output` must be the SDK's own types for the operation. */
export function defineJsonAction<Input, Output>({
	operation,
	refusal,
	supports,
	run,
	...where
}: JsonActionSpec<Input, Output>): JsonAction {
	const name = operationName(operation);
	return {
		...{ ...where, name },
		prepare(value, context) {
			for (const path of checkJsonRequest(inputShapeOf(operation), value, refusal)) {
				if (!supports.includes(path)) throw notEmulated(`field ${path} of ${name}`);
			}
			return () => {
				const answer = run(asInput<Input>(value), context);
				checkJsonAnswer(outputShapeOf(operation), answer, name);
				return answer;
			};
		},
	};
}

// checkJsonRequest accepts only fields of the operation's input shape, which the SDK's type describes.
function asInput<Input>(value: unknown): Input {
	return value as Input;
}
