import type { z } from "zod";
import type { InputOf, Operation } from "#server/contract/operation.ts";
import type { RestAnswer, RestRequest } from "../http/route.ts";
import type { OperationContext } from "../operation-context.ts";

/** The JSON form of a value: amounts and dates become strings, and lists become mutable. */
export type Json<T> = T extends bigint | Date
	? string
	: T extends readonly unknown[] | object
		? { -readonly [K in keyof T]: Json<T[K]> }
		: T;

/** An operation with its implementation. */
export interface Bound<O extends Operation = Operation, R = unknown> {
	operation: O;
	/** For REST and procedures. The input is not parsed: services authorize first, then parse. */
	run(ctx: OperationContext, input: InputOf<O>): R | Promise<R>;
	/** Replaces `run` when REST has headers, streams or files. */
	rest?(ctx: OperationContext, input: InputOf<O>, request: RestRequest): Promise<RestAnswer>;
	/** The success status, if there are several. */
	status?(answer: R): number;
}

/**
 * A binding if the service's result, as JSON, fits the operation's output; otherwise a type that is not a binding and
 * shows both.
 */
type Fits<O extends Operation, R> = O extends { output: infer S extends z.ZodType }
	? [Json<R>] extends [z.input<S>]
		? Bound<O, R>
		: { answerDoesNotFitTheOutput: { expected: z.input<S>; answered: Json<R> } }
	: Bound<O, R>;

/** Binds an operation to its service. */
export function bind<O extends Operation, R>(operation: O, run: (ctx: OperationContext, input: InputOf<O>) => R | Promise<R>): Fits<O, R> {
	return { operation, run } satisfies Bound<O, R> as unknown as Fits<O, R>;
}

/** Adds the success status to an operation that has several. */
export function withStatus<O extends Operation, R>(bound: Bound<O, R>, status: (answer: R) => number): Bound<O, R> {
	return { ...bound, status };
}

/** Replaces `run` for REST: headers, a stream or a file. */
export function withRest<O extends Operation, R>(bound: Bound<O, R>, rest: NonNullable<Bound<O, R>["rest"]>): Bound<O, R> {
	return { ...bound, rest };
}

/** A REST-only operation that reads or writes more than JSON. */
export function bindRest<O extends Operation>(operation: O, rest: NonNullable<Bound<O>["rest"]>): Bound<O, never> {
	const run = () => {
		throw new Error(`${operation.method} ${operation.path} is available through REST only`);
	};
	return { operation, run, rest };
}
