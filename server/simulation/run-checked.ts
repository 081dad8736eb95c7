import type { ChargeDraft } from "#server/accounting/amounts.ts";
import type { ReasonCode } from "#server/domain/reasons.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import type { Checker } from "./checkers/checker.ts";
import type { SimNews } from "./context.ts";
import type { Scenario } from "./scenario.ts";
import { World } from "./world.ts";

export interface Violation {
	checker: string;
	message: string;
	/** The event after which it was seen, counted from 1, and its moment. */
	event: string;
	eventNumber: number;
	atMs: number;
}

export interface CheckedRun {
	violation: Violation | null;
	world: World;
	charges: readonly ChargeDraft[];
	news: readonly SimNews[];
}

/** Everything must have come to rest so long after the faults ended. A run may need 50 attempts of hours each. */
const REST_MS_MAX = 60 * DAY_MS;
/** Back-offs, cooldowns and stale prices are over then; what still waits, waits for money or for a policy. */
const SETTLED_MS = 12 * HOUR_MS;
const EVENTS_MAX = 2_000_000;

/** Codes with which a job may wait forever: only people can change what it waits for. */
const FOR_PEOPLE: readonly ReasonCode[] = ["budget_exceeded", "approval_required", "waiting_no_allowed_offer"];

/**
 * Runs a scenario to its rest and holds the world against every checker after every event: first with faults, then, from
 * `healAtMs` on, until all is at rest within a bound. Ends at the first violation; an error in the code is one too.
 * @param sabotage for tests of the checkers: called after every event and before the checks.
 */
export function runChecked(
	scenario: Scenario,
	checkers: readonly Checker[],
	sabotage: (world: World, charges: ChargeDraft[]) => void = () => {},
): CheckedRun {
	const charges: ChargeDraft[] = [];
	const news: SimNews[] = [];
	const world = new World(scenario, { news: (line) => news.push(line), decision: () => {}, charges: (list) => charges.push(...list) });
	const seen = { world, charges };
	let event = "start";
	const broken = (checker: string, message: string): CheckedRun => ({
		violation: { checker, message, event, eventNumber: world.events, atMs: world.nowMs() },
		world,
		charges,
		news,
	});
	try {
		while (!isAtRest(world)) {
			event = world.step() ?? "nothing";
			sabotage(world, charges);
			for (const checker of checkers) {
				const message = checker.after(seen);
				if (message) return broken(checker.name, message);
			}
			world.book.moves.length = 0;
			if (world.nowMs() > Math.max(scenario.healAtMs, lastArrivalMs(scenario)) + REST_MS_MAX || world.events > EVENTS_MAX) {
				return broken("rest", `not at rest ${REST_MS_MAX} ms after the faults ended: ${leftOf(world)}`);
			}
		}
		world.closeBooks();
		event = "end";
		for (const checker of checkers) {
			const message = checker.atEnd(seen);
			if (message) return broken(checker.name, message);
		}
		return { violation: null, world, charges, news };
	} catch (error) {
		return broken("code", error instanceof Error ? `${error.name}: ${error.message}` : String(error));
	}
}

function lastArrivalMs(scenario: Scenario): number {
	return scenario.arrivals.at(-1)?.submittedAtMs ?? scenario.startMs;
}

/** Nothing happens any more: all is over, or what is left waits for people and nothing lives. */
function isAtRest(world: World): boolean {
	if (world.isQuiet()) return true;
	const { pending, liveAttempts, liveInstances } = world.book;
	if (!world.allArrived() || liveAttempts.size + liveInstances.size + world.cloud.alive.size > 0) return false;
	if (world.nowMs() < world.scenario.healAtMs + SETTLED_MS) return false;
	return [...pending].every((row) => FOR_PEOPLE.includes(row.reason.code));
}

function leftOf(world: World): string {
	const { pending, liveAttempts, liveInstances } = world.book;
	const waiting = [...pending].slice(0, 3).map((row) => `${row.id} ${row.reason.code}`);
	return `${pending.size} jobs wait (${waiting.join(", ")}), ${liveAttempts.size} attempts and ${liveInstances.size} instances live`;
}
