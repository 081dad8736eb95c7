import { z } from "zod";
import type { InputOf, Operation } from "#server/contract/operation.ts";
import type { RestAnswer, Route } from "../http/route.ts";
import type { Bound } from "../operations/bind.ts";
import { readInput } from "../operations/read-input.ts";

/** The REST route of a bound operation. */
// biome-ignore lint/suspicious/noExplicitAny: a route does not know its operation's types
export function routeOf({ operation, run, rest, status }: Bound<any, any>): Route {
	const definition: Operation = operation;
	const { method, path, permission, write = false } = definition;
	return {
		...{ method, path, permission, write, operation: definition },
		async handle(ctx, request): Promise<RestAnswer> {
			const input = readInput(definition, request) as InputOf<Operation>;
			if (rest) return rest(ctx, input, request);
			const answer: unknown = await run(ctx, input);
			return { status: status?.(answer) ?? firstStatus(definition), body: enveloped(definition, answer) };
		},
	};
}

function firstStatus({ status }: Operation): number {
	return status === undefined ? 200 : typeof status === "number" ? status : (status[0] ?? 200);
}

/** A list without pages is answered like one with a single page. */
function enveloped({ output }: Operation, answer: unknown): unknown {
	return output instanceof z.ZodArray ? { items: answer, nextCursor: null } : answer;
}
