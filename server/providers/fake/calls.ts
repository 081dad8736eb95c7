import type { Clock } from "#server/kernel/clock.ts";
import { DriverError, type DriverErrorKind } from "../driver-errors.ts";

/** One call to a driver, with its result. */
export interface RecordedCall {
	atMs: number;
	method: string;
	/** The region, if the call has one. */
	region: string | null;
	/** Ids that the call refers to: our attempt or instance id, or the provider's. */
	ids: string[];
	outcome: "ok" | DriverErrorKind;
}

interface CallFault {
	method: string;
	region: string | null;
	error: DriverError;
	times: number;
}

/** Records calls, and makes scripted ones fail before they have any effect. */
export class CallScript {
	readonly recorded: RecordedCall[] = [];
	readonly #clock: Clock;
	#faults: CallFault[] = [];

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Makes the next `times` calls of this method (in this region, if given) fail without effect. */
	fail(method: string, kind: DriverErrorKind, options: { times?: number; region?: string; providerCode?: string } = {}): void {
		const code = options.providerCode;
		const error = new DriverError(kind, `scripted: ${method} fails with ${code ?? kind}`, code === undefined ? {} : { providerCode: code });
		this.#faults.push({ method, region: options.region ?? null, error, times: options.times ?? 1 });
	}

	clear(): void {
		this.#faults = [];
	}

	/** Runs one call. `done` is its whole effect, so a scripted failure leaves the site unchanged. */
	async run<T>(call: { method: string; region?: string; ids?: string[] }, done: () => T): Promise<T> {
		const record: RecordedCall = {
			atMs: this.#clock.nowMs(),
			method: call.method,
			region: call.region ?? null,
			ids: call.ids ?? [],
			outcome: "ok",
		};
		this.recorded.push(record);
		try {
			const fault = this.#take(call.method, record.region);
			if (fault) throw fault;
			return done();
		} catch (error) {
			if (error instanceof DriverError) record.outcome = error.kind;
			throw error;
		}
	}

	/** A call over all regions checks this for each of them. */
	regionFault(method: string, region: string): DriverError | null {
		const at = this.#faults.findIndex((f) => f.method === method && f.region === region);
		return at === -1 ? null : this.#use(at);
	}

	#take(method: string, region: string | null): DriverError | null {
		const at = this.#faults.findIndex((f) => f.method === method && (f.region === null || f.region === region));
		return at === -1 ? null : this.#use(at);
	}

	#use(at: number): DriverError | null {
		const fault = this.#faults[at];
		if (!fault) return null;
		fault.times -= 1;
		if (fault.times <= 0) this.#faults.splice(at, 1);
		return fault.error;
	}
}
