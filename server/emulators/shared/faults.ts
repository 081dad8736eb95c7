import { z } from "zod";

const durationMs = z.int().min(0).max(86_400_000);

const behaviourSchema = z.discriminatedUnion("kind", [
	/** Completes the action, then cuts the connection before the response. */
	z.strictObject({ kind: z.literal("lose_answer") }),
	/** Delays the action by this long. */
	z.strictObject({ kind: z.literal("delay_action"), durationMs }),
	/** Completes the action immediately and delays the response by this long. */
	z.strictObject({ kind: z.literal("delay_answer"), durationMs }),
	/** Launch: hides the new instances from other calls for this long (eventual consistency). */
	z.strictObject({ kind: z.literal("invisible"), durationMs }),
	/** Launch: added to the boot delay. */
	z.strictObject({ kind: z.literal("slow_boot"), durationMs }),
	/** Launch: after this long the instance and its processes vanish without a trace. */
	z.strictObject({ kind: z.literal("vanish"), durationMs }),
	/** Launch: only this many instances are available to this call. */
	z.strictObject({ kind: z.literal("limited_capacity"), available: z.int().min(0) }),
	/** Termination: added to the termination delay. */
	z.strictObject({ kind: z.literal("slow_termination"), durationMs }),
	/** Action `metadata`: the machine's metadata service does not respond. */
	z.strictObject({ kind: z.literal("no_metadata") }),
	/**
	 * Action `*`: how far the cloud's clock is ahead of this computer's (negative: behind), in the times it reports and accepts.
	 */
	z.strictObject({ kind: z.literal("wrong_clock"), offsetMs: z.int().min(-2_592_000_000).max(2_592_000_000) }),
	/** Action `metadata`: the response to a machine's request for its identity document. `absent`: no document. */
	z.strictObject({ kind: z.literal("identity"), as: z.enum(["absent", "malformed", "expired", "other_machine"]) }),
]);

export const faultSpecSchema = z
	.strictObject({
		/** The emulated cloud's name for an action, or `*` for all. */
		action: z.string().min(1),
		match: z.strictObject({ region: z.string(), zone: z.string(), instanceType: z.string(), spot: z.boolean() }).partial().optional(),
		/**
		 * Number of matching calls that the fault affects; default 1. SDKs retry 5xx responses: to make the error reach the
		 * caller, set the SDK's number of attempts.
		 */
		times: z.union([z.int().min(1), z.literal("always")]).default(1),
		error: z
			.strictObject({ code: z.string().min(1), message: z.string().optional(), httpStatus: z.int().min(400).max(599).optional() })
			.optional(),
		behaviour: behaviourSchema.optional(),
	})
	.refine((fault) => (fault.error === undefined) !== (fault.behaviour === undefined), {
		message: "a fault has either error or behaviour, not both",
	});

export type FaultSpec = z.input<typeof faultSpecSchema>;
export type FaultBehaviour = z.infer<typeof behaviourSchema>;
export type IdentityAs = Extract<FaultBehaviour, { kind: "identity" }>["as"];

/** Known facts about a call. A fault that requires an unknown fact does not match. */
export interface CallFacts {
	action: string;
	region: string;
	zone?: string | undefined;
	instanceType?: string | undefined;
	spot?: boolean | undefined;
}

export interface ActiveFault {
	id: string;
	remaining: number | "always";
	spec: z.infer<typeof faultSpecSchema>;
}

/**
 * `entrance` faults affect a call before any work. `launch` faults affect only new launches, so that a repeated call with
 * the same token still returns its instances when capacity is exhausted. `metadata` and `identity` faults affect only
 * requests to the metadata service. `clock` faults affect every call before it is parsed.
 */
type Stage = "entrance" | "launch" | "metadata" | "identity" | "clock";

const METADATA_ACTION = "metadata";
const LAUNCH_BEHAVIOURS = new Set(["invisible", "slow_boot", "vanish", "limited_capacity"]);

/** The cloud-specific part of the fault script. */
export interface FaultDialect {
	/** The actions that need capacity: those that create machines, or start stopped ones if the cloud finds only later that it has none. */
	launchActions: ReadonlySet<string>;
	/** Error codes that only these actions return. */
	launchErrors: ReadonlySet<string>;
	/** Possible faults of identity documents. On some clouds, documents never expire. */
	identityFaults: ReadonlySet<IdentityAs>;
	/** Builds the cloud's own error response. */
	toError(error: NonNullable<ActiveFault["spec"]["error"]>): Error;
}

/** The fault script. */
export class FaultControl {
	readonly #dialect: FaultDialect;
	readonly #faults: ActiveFault[] = [];
	#nextId = 1;

	constructor(dialect: FaultDialect) {
		this.#dialect = dialect;
	}

	/** Returns the fault's id. @throws ZodError for an invalid fault; RangeError for a fault this cloud does not support. */
	add(spec: FaultSpec): string {
		const parsed = faultSpecSchema.parse(spec);
		this.#demandPossible(parsed);
		const fault = { id: `fault-${this.#nextId++}`, remaining: parsed.times, spec: parsed };
		this.#faults.push(fault);
		return fault.id;
	}

	#demandPossible({ action, match, behaviour }: ActiveFault["spec"]): void {
		if (behaviour?.kind === "wrong_clock" && (action !== "*" || match))
			throw new RangeError("wrong_clock is a behavior of the action * and of nothing narrower: a cloud has one clock");
		const isOfMetadata = behaviour?.kind === "no_metadata" || behaviour?.kind === "identity";
		if (isOfMetadata !== (action === METADATA_ACTION))
			throw new RangeError(`no_metadata and identity are behaviors of the action ${METADATA_ACTION}, and it has no others`);
		if (behaviour?.kind === "identity" && !this.#dialect.identityFaults.has(behaviour.as))
			throw new RangeError(
				`an identity document of this cloud cannot be ${behaviour.as}; it can be ${[...this.#dialect.identityFaults].join(", ")}`,
			);
	}

	list(): ActiveFault[] {
		return this.#faults.map((fault) => ({ ...fault }));
	}

	remove(id: string): boolean {
		const at = this.#faults.findIndex((fault) => fault.id === id);
		if (at >= 0) this.#faults.splice(at, 1);
		return at >= 0;
	}

	clear(): void {
		this.#faults.length = 0;
	}

	/** Consumes every fault that matches this call at this stage. Throws the first error; returns the behaviors. */
	take(stage: Stage, facts: CallFacts): FaultBehaviour[] {
		const behaviours: FaultBehaviour[] = [];
		for (const fault of this.#faults.filter(({ spec }) => this.#stageOf(spec) === stage && matches(spec, facts))) {
			this.#use(fault);
			const { error, behaviour } = fault.spec;
			if (error) throw this.#dialect.toError(error);
			if (behaviour) behaviours.push(behaviour);
		}
		return behaviours;
	}

	/** Whether the machine's metadata service is unavailable for this request. Consumes the fault. */
	silencesMetadata(machine: Omit<CallFacts, "action">): boolean {
		return this.take("metadata", { action: METADATA_ACTION, ...machine }).length > 0;
	}

	/** The fault of the identity document for this request; null for none. Consumes the fault. */
	identityOf(machine: Omit<CallFacts, "action">): IdentityAs | null {
		const [fault] = this.take("identity", { action: METADATA_ACTION, ...machine });
		return fault?.kind === "identity" ? fault.as : null;
	}

	/** How far the cloud's clock is ahead at this call, ms. Consumes the fault. */
	takeClockOffset(): number {
		const [fault] = this.take("clock", { action: "*", region: "" });
		return fault?.kind === "wrong_clock" ? fault.offsetMs : 0;
	}

	/** Whether a launch there would fail now. Consumes no fault. */
	blocksLaunch(facts: CallFacts): boolean {
		return this.#faults.some(({ spec }) => spec.error !== undefined && this.#stageOf(spec) === "launch" && matches(spec, facts));
	}

	#stageOf({ action, error, behaviour }: ActiveFault["spec"]): Stage {
		const { launchActions, launchErrors } = this.#dialect;
		if (behaviour?.kind === "wrong_clock") return "clock";
		if (action === METADATA_ACTION) return behaviour?.kind === "identity" ? "identity" : "metadata";
		if (!launchActions.has(action) && action !== "*") return "entrance";
		const atLaunch = error ? launchErrors.has(error.code) : LAUNCH_BEHAVIOURS.has(behaviour?.kind ?? "");
		return atLaunch ? "launch" : "entrance";
	}

	#use(fault: ActiveFault): void {
		if (fault.remaining === "always") return;
		fault.remaining -= 1;
		if (fault.remaining === 0) this.remove(fault.id);
	}
}

/** The longest duration among behaviors of this kind; 0 if there are none. */
export function durationOf(behaviours: readonly FaultBehaviour[], kind: FaultBehaviour["kind"]): number {
	return Math.max(0, ...behaviours.map((behaviour) => (behaviour.kind === kind && "durationMs" in behaviour ? behaviour.durationMs : 0)));
}

function matches({ action, match }: ActiveFault["spec"], facts: CallFacts): boolean {
	if (action !== "*" && action !== facts.action) return false;
	if (!match) return true;
	return (["region", "zone", "instanceType", "spot"] as const).every((key) => match[key] === undefined || match[key] === facts[key]);
}
