import type { TRPCMutationProcedure, TRPCQueryProcedure } from "@trpc/server";
import { z } from "zod";
import type { Operation } from "#server/contract/operation.ts";
import type { Bound } from "../operations/bind.ts";
import { procedure } from "./init.ts";

type Types<O extends Operation, R> = {
	input: O extends { input: infer I extends z.ZodType } ? z.input<I> : undefined;
	output: R;
	meta: object;
};

type ProcedureOf<B> =
	B extends Bound<infer O, infer R>
		? O extends { procedure: "query" }
			? TRPCQueryProcedure<Types<O, R>>
			: O extends { procedure: "mutation" }
				? TRPCMutationProcedure<Types<O, R>>
				: never
		: never;

type ProceduresOf<G> = { [K in keyof G as [ProcedureOf<G[K]>] extends [never] ? never : K]: ProcedureOf<G[K]> };

/** The page procedures of a group: the operations marked for pages in the contract. Amounts stay bigint there. */
// biome-ignore lint/suspicious/noExplicitAny: groups hold operations of different types
export function proceduresOf<const G extends Record<string, Bound<any, any>>>(group: G): ProceduresOf<G> {
	const made = Object.entries(group).flatMap(([name, { operation, run }]) => {
		const definition: Operation = operation;
		if (definition.procedure === undefined) return [];
		const base = definition.input === undefined ? procedure : procedure.input(pagedInput(definition.input));
		const resolve = ({ ctx, input }: { ctx: { service: Parameters<typeof run>[0] }; input: unknown }) => run(ctx.service, input ?? {});
		return [[name, definition.procedure === "query" ? base.query(resolve) : base.mutation(resolve)]];
	});
	return Object.fromEntries(made) as ProceduresOf<G>;
}

/** tRPC's client adds the direction to an infinite query; lists only page forward, and their inputs reject unknown fields. */
export function pagedInput(input: z.ZodType): z.ZodType {
	return z.preprocess((raw) => {
		if (typeof raw !== "object" || raw === null || !("direction" in raw) || raw.direction !== "forward") return raw;
		const { direction: _, ...rest } = raw;
		return rest;
	}, input);
}
