import { bothOf, type Case, casesOf } from "./condition-cases.ts";
import { environment } from "./expression-environment.ts";
import { POLICY_LIMITS } from "./limits.ts";

/** A condition as rules and budgets carry it; null always holds. */
export type Condition = string | null;

/**
 * What follows from conditions by their text alone. Each "yes" is certain for every job there can be; a "no" may also mean
 * that it was not found out. The texts have passed checkExpression. Remembers what it took apart, for one check of one policy.
 */
export class ConditionLogic {
	readonly #cases = new Map<string, readonly Case[] | null>();
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

	/** No job meets all of them. */
	excludesAll(conditions: readonly Condition[]): boolean {
		let left: readonly Case[] | null = [new Map()];
		for (const condition of conditions) {
			if (condition === null) continue;
			const cases = this.#casesOf(condition, true);
			left = cases === null ? left : bothOf(left, cases);
			if (left === null) return false;
		}
		return left.length === 0;
	}

	#none(a: readonly Case[] | null, b: readonly Case[] | null): boolean {
		this.#comparisons += (a?.length ?? 0) * (b?.length ?? 0);
		if (this.#comparisons > POLICY_LIMITS.conditionComparisons) return false;
		return bothOf(a, b)?.length === 0;
	}

	#casesOf(text: string, holds: boolean): readonly Case[] | null {
		const key = `${holds ? "+" : "-"}${text}`;
		let cases = this.#cases.get(key);
		if (cases === undefined) {
			cases = read(text, holds);
			this.#cases.set(key, cases);
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
