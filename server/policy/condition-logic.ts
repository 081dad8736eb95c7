import { bothOf, type Case, casesOf } from "./condition-cases.ts";
import { environment } from "./expression-environment.ts";
import { POLICY_LIMITS } from "./limits.ts";

/** A condition of a rule or budget; null always holds. */
export type Condition = string | null;

/**
 * Implications of conditions, from their text alone. Each "yes" is certain for every possible job; a "no" may also mean that
 * none was found. The texts have passed checkExpression. Caches parsed texts for one check of one policy.
 */
export class ConditionLogic {
	readonly #cases = { met: new Map<string, readonly Case[] | null>(), unmet: new Map<string, readonly Case[] | null>() };
	/** Whether two lists of alternatives are disjoint; a pair is tested more than once. */
	readonly #pairs = new Map<readonly Case[], Map<readonly Case[], boolean>>();
	#comparisons = 0;

	/** No job meets it. */
	never(condition: Condition): boolean {
		return condition !== null && this.#casesOf(condition, true)?.length === 0;
	}

	/** Every job meets it. */
	always(condition: Condition): boolean {
		return condition === null || this.#casesOf(condition, false)?.length === 0;
	}

	/** Every job that meets `a` meets `b`. */
	implies(a: Condition, b: Condition): boolean {
		if (b === null || a === b) return true;
		return this.always(b) || (a !== null && this.#none(this.#casesOf(a, true), this.#casesOf(b, false)));
	}

	/** No job meets both. */
	excludes(a: Condition, b: Condition): boolean {
		if (a === null || b === null) return this.never(a) || this.never(b);
		return a !== b && this.#none(this.#casesOf(a, true), this.#casesOf(b, true));
	}

	#none(a: readonly Case[] | null, b: readonly Case[] | null): boolean {
		if (a === null || b === null) return a?.length === 0 || b?.length === 0;
		const known = this.#pairs.get(a) ?? new Map<readonly Case[], boolean>();
		this.#pairs.set(a, known);
		let none = known.get(b);
		if (none === undefined) {
			this.#comparisons += a.length * b.length;
			none = this.#comparisons <= POLICY_LIMITS.conditionComparisons && bothOf(a, b)?.length === 0;
			known.set(b, none);
		}
		return none;
	}

	#casesOf(text: string, holds: boolean): readonly Case[] | null {
		const known = holds ? this.#cases.met : this.#cases.unmet;
		let cases = known.get(text);
		if (cases === undefined) {
			cases = read(text, holds);
			known.set(text, cases);
		}
		return cases;
	}
}

function read(text: string, holds: boolean): readonly Case[] | null {
	try {
		return casesOf(environment.parse(text).ast, holds);
	} catch {
		return null;
	}
}
