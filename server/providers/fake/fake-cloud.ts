import type { CLOUD_PROVIDERS } from "#server/domain/vocabulary.ts";
import { assert, defined } from "#server/kernel/assert.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { CloudDriver, InstanceObservation, LaunchRequest, OfferObservation } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { mergeRegions } from "../every-region.ts";
import { CallScript } from "./calls.ts";
import {
	type FakeInstance,
	hasVanished,
	isAlive,
	observeInstance,
	SPOT_TERMINATED,
	terminatedAtMs,
	USER_TERMINATED,
} from "./fake-instance.ts";
import { FakePlacements } from "./fake-placements.ts";
import { type LaunchFault, LaunchScript } from "./launch-faults.ts";

export interface FakeCloudOptions {
	clock: Clock;
	provider?: (typeof CLOUD_PROVIDERS)[number];
	regions: string[];
	/** The offers on sale; may be changed at run time. */
	offers: OfferObservation[];
	bootDelayMs?: number;
	/** From the start of a stopped machine until it runs. */
	startDelayMs?: number;
	terminateDelayMs?: number;
	/** How long a terminated machine is still shown. Default: one hour, as at EC2. */
	terminatedVisibleMs?: number;
}

/**
 * A cloud account in memory, for the tests of the control loop and the simulator. The account outlives the drivers that
 * `driver()` returns, and serves several control planes.
 */
export class FakeCloud {
	readonly calls: CallScript;
	readonly launches = new LaunchScript();
	offers: OfferObservation[];
	readonly #options: Required<Omit<FakeCloudOptions, "offers">>;
	readonly #instances: FakeInstance[] = [];
	readonly #placements = new FakePlacements();

	constructor({ offers, ...options }: FakeCloudOptions) {
		this.#options = { provider: "aws", bootDelayMs: 0, startDelayMs: 0, terminateDelayMs: 0, terminatedVisibleMs: HOUR_MS, ...options };
		this.offers = offers;
		this.calls = new CallScript(options.clock);
	}

	/** Ground truth: every machine ever created, including those that no call shows. */
	instances(): (InstanceObservation & { alive: boolean; controlPlane: string; jobId: string; interruptedAtMs: number | null })[] {
		const nowMs = this.#settle();
		return this.#instances.map((i) => ({
			...observeInstance(i, nowMs),
			alive: isAlive(i, nowMs),
			controlPlane: i.controlPlane,
			jobId: i.request.jobId,
			interruptedAtMs: i.interruptedAtMs,
		}));
	}

	/** Spot: the provider announces that it reclaims the machine in `noticeMs`. */
	interrupt(providerInstanceId: string, noticeMs: number): void {
		this.#find(providerInstanceId).interruptedAtMs = this.#settle() + noticeMs;
	}

	/** Makes the machine vanish without a trace and stop running. */
	vanish(providerInstanceId: string): void {
		this.#find(providerInstanceId).vanishesAtMs = this.#settle();
	}

	/** A machine that someone created manually with only the control plane's tag. */
	plantStranger(controlPlane: string, request: LaunchRequest): InstanceObservation {
		const made = this.#make(controlPlane, request, []);
		made.instanceId = null;
		return observeInstance(made, this.#settle());
	}

	/** @param regions in the site's settings; the account has all of them */
	driver(siteId: string, controlPlane: string, regions: readonly string[] = this.#options.regions): CloudDriver {
		const { provider } = this.#options;
		const mine = () => this.#visible().filter((i) => i.controlPlane === controlPlane);
		const call = this.calls.run.bind(this.calls);
		return {
			siteId,
			provider,
			capabilities: { spot: true },
			check: () => call({ method: "check" }, () => {}),
			offers: () =>
				call({ method: "offers" }, () =>
					this.#perRegion("offers", (region) => this.offers.filter((o) => o.region === region), regions),
				).then(({ found, failedRegions }) => ({ offers: found, failedRegions })),
			launch: (request) =>
				call({ method: "launch", region: request.region, ids: [request.instanceId] }, () => this.#launch(controlPlane, request)),
			describe: (region, ids) =>
				call({ method: "describe", region, ids }, () =>
					this.#show(mine().filter((i) => i.request.region === region && ids.includes(i.providerInstanceId))),
				),
			findByToken: (region, instanceId) =>
				call({ method: "findByToken", region, ids: [instanceId] }, () => {
					const found = mine().filter((i) => i.request.region === region && i.instanceId === instanceId);
					return this.#show(found)[0] ?? null;
				}),
			list: (alsoIn) =>
				call({ method: "list" }, () =>
					this.#perRegion("list", (region) => this.#show(mine().filter((i) => i.request.region === region)), mergeRegions(regions, alsoIn)),
				).then(({ found, sweptRegions, failedRegions }) => ({ instances: found, sweptRegions, failedRegions })),
			terminate: (region, id) => call({ method: "terminate", region, ids: [id] }, () => this.#terminate(region, id)),
			power: {
				stop: (region, id) => call({ method: "stop", region, ids: [id] }, () => this.#stop(region, id)),
				start: (region, id) => call({ method: "start", region, ids: [id] }, () => this.#start(region, id)),
			},
			placements: this.#placements.of(controlPlane, (attemptId) => this.placedTogether(attemptId) > 0),
			close: async () => {},
		};
	}

	/** Machines of an attempt that have not terminated. */
	placedTogether(attemptId: string): number {
		const nowMs = this.#settle();
		return this.#instances.filter((i) => i.request.attemptId === attemptId && isAlive(i, nowMs)).length;
	}

	#launch(controlPlane: string, request: LaunchRequest): InstanceObservation {
		const nowMs = this.#settle();
		const known = this.#instances.find((i) => i.instanceId === request.instanceId && i.request.region === request.region);
		if (known) {
			if (!sameParameters(known.request, request)) {
				throw new DriverError("token_mismatch", `instance ${request.instanceId} was asked for with other parameters before`);
			}
			if (known.createdAtMs > nowMs) throw lostAnswer();
			return observeInstance(known, nowMs);
		}
		if (!this.#options.regions.includes(request.region)) throw new DriverError("invalid_request", `there is no region ${request.region}`);
		if (!this.offers.some((o) => o.region === request.region && o.instanceType === request.instanceType)) {
			throw new DriverError("invalid_request", `${request.instanceType} is not on sale in ${request.region}`);
		}
		const faults = this.launches.take(request);
		const refusal = faults.find((f) => f.kind === "error");
		if (refusal?.kind === "error") {
			const options = refusal.providerCode === undefined ? {} : { providerCode: refusal.providerCode };
			throw new DriverError(refusal.error, `scripted: the launch fails with ${refusal.providerCode ?? refusal.error}`, options);
		}
		this.#placements.create(controlPlane, request);
		const made = this.#make(controlPlane, request, faults);
		if (faults.some((f) => f.kind === "lose_answer" || f.kind === "delayed_create")) throw lostAnswer();
		return observeInstance(made, nowMs);
	}

	#make(controlPlane: string, request: LaunchRequest, faults: LaunchFault[]): FakeInstance {
		const nowMs = this.#settle();
		const sum = (kind: "delayed_create" | "invisible" | "slow_boot" | "slow_terminate") =>
			faults.reduce((total, f) => total + (f.kind === kind ? f.durationMs : 0), 0);
		const createdAtMs = nowMs + sum("delayed_create");
		const vanish = faults.find((f) => f.kind === "vanish");
		const interrupt = faults.find((f) => f.kind === "interrupt");
		const made: FakeInstance = {
			providerInstanceId: `i-${String(this.#instances.length + 1).padStart(17, "0")}`,
			controlPlane,
			instanceId: request.instanceId,
			request: { ...request },
			zone: request.zone ?? `${request.region}a`,
			createdAtMs,
			visibleAtMs: createdAtMs + sum("invisible"),
			runningAtMs: createdAtMs + this.#options.bootDelayMs + sum("slow_boot"),
			terminateDelayMs: this.#options.terminateDelayMs + sum("slow_terminate"),
			stoppedAtMs: null,
			stoppingAtMs: null,
			stateReasonCode: null,
			vanishesAtMs: vanish?.kind === "vanish" ? createdAtMs + vanish.afterMs : null,
			interruptedAtMs: interrupt?.kind === "interrupt" ? createdAtMs + interrupt.afterMs + interrupt.noticeMs : null,
		};
		this.#instances.push(made);
		return made;
	}

	#terminate(region: string, providerInstanceId: string): void {
		const nowMs = this.#settle();
		const known = this.#instances.find((i) => i.providerInstanceId === providerInstanceId && i.request.region === region);
		if (!known || hasVanished(known, nowMs)) return;
		known.stoppingAtMs ??= nowMs;
		known.stateReasonCode ??= USER_TERMINATED;
	}

	#stop(region: string, providerInstanceId: string): void {
		const nowMs = this.#settle();
		const machine = this.#powered(region, providerInstanceId);
		if (machine.request.capacityType !== "on_demand") {
			throw new DriverError("invalid_request", `${providerInstanceId} is ${machine.request.capacityType} and cannot be stopped`);
		}
		machine.stoppedAtMs ??= nowMs;
	}

	#start(region: string, providerInstanceId: string): void {
		const nowMs = this.#settle();
		const machine = this.#powered(region, providerInstanceId);
		if (machine.stoppedAtMs === null) return;
		machine.stoppedAtMs = null;
		machine.runningAtMs = nowMs + this.#options.startDelayMs;
	}

	#powered(region: string, providerInstanceId: string): FakeInstance {
		const nowMs = this.#options.clock.nowMs();
		const known = this.#instances.find((i) => i.providerInstanceId === providerInstanceId && i.request.region === region);
		if (known && !hasVanished(known, nowMs) && known.stoppingAtMs === null) return known;
		throw new DriverError("not_found", `there is no machine ${providerInstanceId} to stop or start`);
	}

	/** Executes interruptions that are due. Returns the time. */
	#settle(): number {
		const nowMs = this.#options.clock.nowMs();
		for (const i of this.#instances) {
			if (i.interruptedAtMs === null || i.interruptedAtMs > nowMs || i.stoppingAtMs !== null) continue;
			i.stoppingAtMs = i.interruptedAtMs;
			i.stateReasonCode = SPOT_TERMINATED;
		}
		return nowMs;
	}

	#visible(): FakeInstance[] {
		const nowMs = this.#settle();
		return this.#instances.filter((i) => {
			const endMs = terminatedAtMs(i);
			const forgotten = endMs !== null && endMs + this.#options.terminatedVisibleMs <= nowMs;
			return i.visibleAtMs <= nowMs && !hasVanished(i, nowMs) && !forgotten;
		});
	}

	#show(instances: FakeInstance[]): InstanceObservation[] {
		const nowMs = this.#options.clock.nowMs();
		return instances.map((i) => observeInstance(i, nowMs));
	}

	#perRegion<T>(method: string, ask: (region: string) => T[], regions: readonly string[]) {
		const found: T[] = [];
		const sweptRegions: string[] = [];
		const failedRegions: { region: string; message: string }[] = [];
		for (const region of regions) {
			const fault = this.calls.regionFault(method, region);
			if (fault) failedRegions.push({ region, message: fault.message });
			else {
				found.push(...ask(region));
				sweptRegions.push(region);
			}
		}
		return { found, sweptRegions, failedRegions };
	}

	#find(providerInstanceId: string): FakeInstance {
		const found = this.#instances.find((i) => i.providerInstanceId === providerInstanceId);
		assert(found, `the fake cloud has no instance ${providerInstanceId}`);
		return defined(found, "instance");
	}
}

/** The SDKs time out like this: it is unknown whether the request was executed. */
function lostAnswer(): DriverError {
	return new DriverError("transient", "the connection was cut before the answer; whether a machine was made is not known");
}

function sameParameters(a: LaunchRequest, b: LaunchRequest): boolean {
	return JSON.stringify({ ...a }, Object.keys(a).sort()) === JSON.stringify({ ...b }, Object.keys(a).sort());
}
