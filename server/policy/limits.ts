import { POLICY_VALUE_LIMITS } from "#server/domain/policy-values.ts";

/** Limits on input and on the work of one check. */
export const POLICY_LIMITS = {
	...POLICY_VALUE_LIMITS,
	documentCharacters: 64 * 1024,
	expressionCharacters: 1_000,
	/** Limit on reported problems. */
	problems: 100,
	/** Of all cached programs; a program takes about 70 bytes per character of its condition. */
	compiledCharacters: 256 * 1024,
	/** Cached pattern results, about 70 bytes each. 50 patterns against all regions and types of three clouds use a quarter. */
	rememberedMatches: 200_000,
	/** Alternatives that a condition is split into; beyond that it is not analyzed. */
	conditionCases: 64,
	/** Pairs of alternatives compared in one check; beyond that conditions are not analyzed. */
	conditionComparisons: 100_000,
	/** Characters compared between lists of places in one check; beyond that they are not analyzed. */
	placeSteps: 20_000_000,
} as const;

/** Maximum steps (expression-cost.ts) of one condition, and of all conditions together, for the largest possible job. */
export const EXPRESSION_STEPS = { one: 100_000, all: 1_000_000 } as const;

/** Limits of one CEL expression, enforced by its parser. */
export const EXPRESSION_LIMITS = { maxAstNodes: 400, maxDepth: 32, maxListElements: 100, maxMapEntries: 20, maxCallArguments: 4 } as const;
