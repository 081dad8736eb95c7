import { DAY_MS } from "#server/kernel/units.ts";

/** Everything that comes from outside has a bound. */
export const POLICY_LIMITS = {
	documentCharacters: 64 * 1024,
	rules: 200,
	/** Budgets and caps together. */
	budgets: 50,
	shares: 100,
	shareWeight: 1_000,
	listEntries: 100,
	patternCharacters: 128,
	expressionCharacters: 1_000,
	/** Reported at most; a document that is wrong throughout would otherwise answer with thousands. */
	problems: 100,
	durationMs: 90 * DAY_MS,
	capUsd: 100_000_000_000,
	gib: 1_000_000_000,
	instances: 100_000,
	queueLength: 1_000_000,
	/** Of all conditions whose programs are kept: a program takes about 70 bytes for each character. */
	compiledCharacters: 256 * 1024,
	/** Answers of patterns that are kept, some 70 bytes each: 50 patterns against all regions and types of three clouds are a quarter. */
	rememberedMatches: 200_000,
	/** Alternatives that a condition is taken apart into before nothing is said of it any more. */
	conditionCases: 64,
	/** Pairs of alternatives compared in one check of a policy; beyond it nothing more is said of conditions. */
	conditionComparisons: 100_000,
	/** Characters compared between lists of places in one check of a policy; beyond it nothing more is said of them. */
	placeSteps: 20_000_000,
} as const;

/** Steps (expression-cost.ts) that one condition, and all of a policy together, may take for the largest job that can be. */
export const EXPRESSION_STEPS = { one: 100_000, all: 1_000_000 } as const;

/** Bounds of one CEL expression, enforced by its parser. */
export const EXPRESSION_LIMITS = { maxAstNodes: 400, maxDepth: 32, maxListElements: 100, maxMapEntries: 20, maxCallArguments: 4 } as const;
