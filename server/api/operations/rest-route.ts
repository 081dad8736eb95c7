import { z } from "zod";
import { hasBody } from "#server/contract/fields.ts";
import type { InputOf, Operation } from "#server/contract/operation.ts";
import type { RestAnswer, Route } from "../rest/route.ts";
import type { Bound } from "./bind.ts";
import { readInput } from "./read-input.ts";

/** The REST route of a bound operation. */
// biome-ignore lint/suspicious/noExplicitAny: a route does not know its operation's types
export function routeOf({ operation, run, rest, status }: Bound<any, any>): Route {
	const definition: Operation = operation;
	const { method, path, summary, permission, write } = definition;
	return {
		...{ method, path, summary, permission, operation: definition },
		...(write ? { write } : {}),
		...bodyOf(definition),
		...(definition.upload ? { takes: definition.accepts?.[0] ?? "application/octet-stream" } : {}),
		async handle(ctx, request): Promise<RestAnswer> {
			const input = readInput(definition, request) as InputOf<Operation>;
			if (rest) return rest(ctx, input, request);
			const answer: unknown = await run(ctx, input);
			return { status: status?.(answer) ?? firstStatus(definition), body: enveloped(definition, answer) };
		},
	};
}

function bodyOf(definition: Operation): Pick<Route, "body"> {
	const body = hasBody(definition) && !definition.upload ? (definition.body ?? definition.input) : undefined;
	return body ? { body } : {};
}

export function firstStatus({ status }: Operation): number {
	return status === undefined ? 200 : typeof status === "number" ? status : (status[0] ?? 200);
}

/** A list without pages is answered like one with a single page. */
export function enveloped({ output }: Operation, answer: unknown): unknown {
	return output instanceof z.ZodArray ? { items: answer, nextCursor: null } : answer;
}
