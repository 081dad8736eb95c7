import type { LaunchRequest } from "../driver.ts";
import type { DriverErrorKind } from "../driver-errors.ts";

/** What can go wrong with a launch. */
export type LaunchFault =
	/** Nothing is made. */
	| { kind: "error"; error: DriverErrorKind; providerCode?: string }
	/** The machine is made; the caller gets `transient` instead of the answer. */
	| { kind: "lose_answer" }
	/** `transient`, and the machine appears only after this time: the request was on its way. */
	| { kind: "delayed_create"; durationMs: number }
	/** Answered as always, but other calls do not see the machine for this time. */
	| { kind: "invisible"; durationMs: number }
	| { kind: "slow_boot"; durationMs: number }
	| { kind: "slow_terminate"; durationMs: number }
	/** This long after its launch the machine no longer exists without a trace. */
	| { kind: "vanish"; afterMs: number }
	/** The provider gives notice this long after the launch and takes the machine `noticeMs` later. */
	| { kind: "interrupt"; afterMs: number; noticeMs: number };

export type LaunchMatch = Partial<Pick<LaunchRequest, "region" | "instanceType" | "capacityType">>;

/**
 * The script of launches that go wrong. A repeated launch with a known token meets none of it: the provider answers
 * with the machine that it has.
 */
export class LaunchScript {
	readonly #next: LaunchFault[][] = [];
	#standing: { match: LaunchMatch; fault: LaunchFault }[] = [];

	/** The next new launch meets these; a second call is for the launch after that. */
	next(...faults: LaunchFault[]): void {
		this.#next.push(faults);
	}

	/** Every new launch that matches meets this, until it is lifted. Returns the way to lift it. */
	always(match: LaunchMatch, fault: LaunchFault): () => void {
		const entry = { match, fault };
		this.#standing.push(entry);
		return () => {
			this.#standing = this.#standing.filter((e) => e !== entry);
		};
	}

	clear(): void {
		this.#next.length = 0;
		this.#standing = [];
	}

	take(request: LaunchRequest): LaunchFault[] {
		const matching = this.#standing.filter(({ match }) =>
			(["region", "instanceType", "capacityType"] as const).every((key) => match[key] === undefined || match[key] === request[key]),
		);
		return [...(this.#next.shift() ?? []), ...matching.map((e) => e.fault)];
	}
}
