import type { LaunchRequest } from "../driver.ts";
import type { DriverErrorKind } from "../driver-errors.ts";

/** Possible faults of a launch. */
export type LaunchFault =
	/** Nothing is created. */
	| { kind: "error"; error: DriverErrorKind; providerCode?: string }
	/** The machine is created, but the caller gets `transient` instead of the response. */
	| { kind: "lose_answer" }
	/** The call fails with `transient`, and the machine appears only after this time: the request was delayed on its way. */
	| { kind: "delayed_create"; durationMs: number }
	/** The response is normal, but other calls do not see the machine for this time. */
	| { kind: "invisible"; durationMs: number }
	| { kind: "slow_boot"; durationMs: number }
	| { kind: "slow_terminate"; durationMs: number }
	/** The machine vanishes without a trace this long after its launch. */
	| { kind: "vanish"; afterMs: number }
	/** The provider gives notice this long after the launch and reclaims the machine `noticeMs` later. */
	| { kind: "interrupt"; afterMs: number; noticeMs: number };

export type LaunchMatch = Partial<Pick<LaunchRequest, "region" | "instanceType" | "capacityType">>;

/** Scripted launch faults. A repeated launch with a known token is not affected: the provider returns the existing machine. */
export class LaunchScript {
	readonly #next: LaunchFault[][] = [];
	#standing: { match: LaunchMatch; fault: LaunchFault }[] = [];

	/** Applies these faults to the next new launch; a second call applies to the launch after that. */
	next(...faults: LaunchFault[]): void {
		this.#next.push(faults);
	}

	/** Applies this fault to every new launch that matches. Returns a function that lifts it. */
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
