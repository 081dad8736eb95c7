import { z } from "zod";
import type { Random } from "#server/kernel/random.ts";
import { hostileNumber, hostileText, hostileValue } from "./hostile.ts";

export interface Draw {
	random: Random;
	/** Probability that a part is replaced by an arbitrary value. */
	wrong: number;
	/** Texts that fit fields, by name: existing ids, teams, months. `*` fits every text. */
	known: Readonly<Record<string, readonly string[]>>;
}

const DEPTH_MAX = 12;

/** A value of a schema, with some invalid parts. Only known texts meet checks beyond types, such as patterns. */
export function fromSchema(schema: z.core.$ZodType, draw: Draw, name = "*", depth = 0): unknown {
	const { random } = draw;
	if (random.next() < draw.wrong || depth > DEPTH_MAX) return hostileValue(random);
	const below = (inner: z.core.$ZodType, key = name) => fromSchema(inner, draw, key, depth + 1);
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
		return random.next() < 0.4 ? undefined : below(schema.def.innerType);
	if (schema instanceof z.ZodNullable) return random.next() < 0.3 ? null : below(schema.def.innerType);
	if (schema instanceof z.ZodPipe) return below(schema.def.in);
	if (schema instanceof z.ZodLazy) return below(schema.def.getter());
	if (schema instanceof z.ZodReadonly) return below(schema.def.innerType);
	if (schema instanceof z.ZodUnion) return below(random.pick(schema.def.options));
	if (schema instanceof z.ZodObject) return objectOf(schema, draw, depth);
	if (schema instanceof z.ZodArray)
		return Array.from({ length: random.next() < 0.05 ? 60 : random.int(0, 3) }, () => below(schema.def.element));
	if (schema instanceof z.ZodRecord)
		return Object.fromEntries(Array.from({ length: random.int(0, 3) }, () => [textOf(draw, "key"), below(schema.def.valueType)]));
	if (schema instanceof z.ZodTuple) return schema.def.items.map((item) => below(item));
	return leafOf(schema, draw, name);
}

function objectOf(schema: z.ZodObject, draw: Draw, depth: number): Record<string, unknown> {
	const entries = Object.entries(schema.def.shape)
		.map(([key, inner]) => [key, fromSchema(inner, draw, key, depth + 1)] as const)
		.filter(([, value]) => value !== undefined);
	const { random } = draw;
	if (random.next() < draw.wrong) entries.push([hostileText(random), hostileValue(random, 1)]);
	return Object.fromEntries(entries);
}

function leafOf(schema: z.core.$ZodType, draw: Draw, name: string): unknown {
	const { random } = draw;
	if (schema instanceof z.ZodEnum) return random.pick(schema.options);
	if (schema instanceof z.ZodLiteral) return random.pick([...schema.def.values]);
	if (schema instanceof z.ZodBoolean) return random.next() < 0.5;
	if (schema instanceof z.ZodNumber) return numberOf(schema, random);
	if (schema instanceof z.ZodNull) return null;
	if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return textOf(draw, name);
	return random.next() < 0.5 ? textOf(draw, name) : hostileValue(random);
}

function numberOf({ minValue, maxValue }: z.ZodNumber, random: Random): number {
	const low = Number.isFinite(minValue) ? Number(minValue) : 0;
	const high = Number.isFinite(maxValue) ? Number(maxValue) : low + 100;
	const kind = random.int(0, 9);
	if (kind === 0) return high;
	if (kind === 1) return low;
	return kind === 2 ? hostileNumber(random) : Math.round(low + random.next() * Math.min(100, high - low));
}

function textOf({ random, known }: Draw, name: string): string {
	const fitting = Object.hasOwn(known, name) ? known[name] : undefined;
	const chance = random.next();
	if (fitting && chance < 0.8) return random.pick(fitting);
	return chance < 0.92 && known["*"] ? random.pick(known["*"]) : hostileText(random);
}

/** A copy of a value with a few parts replaced by arbitrary values. */
export function mutated(value: unknown, random: Random, wrong: number): unknown {
	if (random.next() < wrong) return hostileValue(random, 2);
	if (Array.isArray(value)) return value.map((item: unknown) => mutated(item, random, wrong));
	if (value === null || typeof value !== "object") return value;
	const entries = Object.entries(value).map(([key, part]) => [key, mutated(part, random, wrong)]);
	if (random.next() < wrong) entries.push([hostileText(random), hostileValue(random, 1)]);
	return Object.fromEntries(entries);
}
