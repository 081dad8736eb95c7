import type { z } from "zod";
import type { InputOf, Operation } from "#server/contract/operation.ts";
import type { RestAnswer, RestRequest } from "../http/route.ts";
import type { OperationContext } from "../operation-context.ts";

/** What a value becomes in JSON: amounts and dates are texts, and lists may be changed by who reads them. */
export type Json<T> = T extends bigint | Date
	? string
	: T extends readonly unknown[] | object
		? { -readonly [K in keyof T]: Json<T[K]> }
		: T;

/** An operation with what carries it out. */
export interface Bound<O extends Operation = Operation, R = unknown> {
	operation: O;
	/** For REST and procedures. The input is not parsed: services authorize, then parse. */
	run(ctx: OperationContext, input: InputOf<O>): R | Promise<R>;
	/** In place of `run`, where REST has headers, streams or files. */
	rest?(ctx: OperationContext, input: InputOf<O>, request: RestRequest): Promise<RestAnswer>;
	/** The success status, of several. */
	status?(answer: R): number;
}

/** A binding when the service's answer, as JSON, fits the operation's output; else a type that is no binding and shows both. */
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

/** Adds what REST does in place of `run`: headers, a stream or a file. */
export function withRest<O extends Operation, R>(bound: Bound<O, R>, rest: NonNullable<Bound<O, R>["rest"]>): Bound<O, R> {
	return { ...bound, rest };
}

/** An operation that REST alone has, for it reads or writes more than JSON. */
export function bindRest<O extends Operation>(operation: O, rest: NonNullable<Bound<O>["rest"]>): Bound<O, never> {
	const run = () => {
		throw new Error(`${operation.method} ${operation.path} is answered by REST alone`);
	};
	return { operation, run, rest };
}
