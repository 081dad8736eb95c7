import { z } from "zod";

const durationMs = z.int().min(0).max(86_400_000);

const behaviourSchema = z.discriminatedUnion("kind", [
	/** The action is done, then the connection is cut before the answer. */
	z.strictObject({ kind: z.literal("lose_answer") }),
	/** The action is done only after this long. */
	z.strictObject({ kind: z.literal("delay_action"), durationMs }),
	/** The action is done at once, its answer comes after this long. */
	z.strictObject({ kind: z.literal("delay_answer"), durationMs }),
	/** A launch: no other call sees the new instances for this long (eventual consistency). */
	z.strictObject({ kind: z.literal("invisible"), durationMs }),
	/** A launch: added to the boot delay. */
	z.strictObject({ kind: z.literal("slow_boot"), durationMs }),
	/** A launch: this long after the launch the instance no longer exists without a trace, its processes too. */
	z.strictObject({ kind: z.literal("vanish"), durationMs }),
	/** A launch: so many instances are requested in this call. */
	z.strictObject({ kind: z.literal("limited_capacity"), available: z.int().min(0) }),
	/** A termination: added to the termination delay. */
	z.strictObject({ kind: z.literal("slow_termination"), durationMs }),
	/** The action `metadata`: a machine's metadata service does not answer. */
	z.strictObject({ kind: z.literal("no_metadata") }),
	/**
	 * The action `*`: the cloud's clock is so far ahead of this computer's (negative: behind), in what it reports and in what it
	 * accepts.
	 */
	z.strictObject({ kind: z.literal("wrong_clock"), offsetMs: z.int().min(-2_592_000_000).max(2_592_000_000) }),
	/** The action `metadata`: what a machine gets that asks for its identity document. `absent`: there is none for it. */
	z.strictObject({ kind: z.literal("identity"), as: z.enum(["absent", "malformed", "expired", "other_machine"]) }),
]);

export const faultSpecSchema = z
	.strictObject({
		/** The emulated cloud's own name of an action, or `*` for each. */
		action: z.string().min(1),
		match: z.strictObject({ region: z.string(), zone: z.string(), instanceType: z.string(), spot: z.boolean() }).partial().optional(),
		/**
		 * How many matching calls it meets; default 1. An SDK repeats a call that met a 5xx by itself: to show it such an
		 * error, give as many as it has attempts.
		 */
		times: z.union([z.int().min(1), z.literal("always")]).default(1),
		error: z
			.strictObject({ code: z.string().min(1), message: z.string().optional(), httpStatus: z.int().min(400).max(599).optional() })
			.optional(),
		behaviour: behaviourSchema.optional(),
	})
	.refine((fault) => (fault.error === undefined) !== (fault.behaviour === undefined), {
		message: "a fault has either an error or a behaviour",
	});

export type FaultSpec = z.input<typeof faultSpecSchema>;
export type FaultBehaviour = z.infer<typeof behaviourSchema>;
export type IdentityAs = Extract<FaultBehaviour, { kind: "identity" }>["as"];

/** What a call is about, as far as it is known; a fault that asks for an unknown fact does not match. */
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
 * `entrance` faults meet a call before anything is done; `launch` faults meet only a launch that is really new, so
 * that a repeated call with the same token still gets its instances while there is no capacity. `metadata` and `identity`
 * faults meet what machines ask their metadata service, and no call of the cloud's; `clock` faults each call before it is
 * known what it asks.
 */
type Stage = "entrance" | "launch" | "metadata" | "identity" | "clock";

const METADATA_ACTION = "metadata";
const LAUNCH_BEHAVIOURS = new Set(["invisible", "slow_boot", "vanish", "limited_capacity"]);

/** What the script must know of the cloud with the faults. */
export interface FaultDialect {
	/** The action that makes machines. */
	launchAction: string;
	/** The codes of errors that only a new launch can meet. */
	launchErrors: ReadonlySet<string>;
	/** What can be wrong with its identity documents; the ones of some clouds never end. */
	identityFaults: ReadonlySet<IdentityAs>;
	/** The cloud's own error, as its endpoint answers it. */
	toError(error: NonNullable<ActiveFault["spec"]["error"]>): Error;
}

/** The script of what goes wrong. */
export class FaultControl {
	readonly #dialect: FaultDialect;
	readonly #faults: ActiveFault[] = [];
	#nextId = 1;

	constructor(dialect: FaultDialect) {
		this.#dialect = dialect;
	}

	/** @throws ZodError for a fault that is not of the script's form; RangeError for one that this cloud cannot have. Returns its id. */
	add(spec: FaultSpec): string {
		const parsed = faultSpecSchema.parse(spec);
		this.#demandPossible(parsed);
		const fault = { id: `fault-${this.#nextId++}`, remaining: parsed.times, spec: parsed };
		this.#faults.push(fault);
		return fault.id;
	}

	#demandPossible({ action, match, behaviour }: ActiveFault["spec"]): void {
		if (behaviour?.kind === "wrong_clock" && (action !== "*" || match))
			throw new RangeError("wrong_clock is a behaviour of the action * and of nothing narrower: a cloud has one clock");
		const isOfMetadata = behaviour?.kind === "no_metadata" || behaviour?.kind === "identity";
		if (isOfMetadata !== (action === METADATA_ACTION))
			throw new RangeError(`no_metadata and identity are behaviours of the action ${METADATA_ACTION}, and it has no others`);
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

	/** Uses up every fault that meets this call at this stage; the first error is thrown, behaviours are returned. */
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

	/** Whether the metadata service of a machine is unavailable for this question. Uses the fault up. */
	silencesMetadata(machine: Omit<CallFacts, "action">): boolean {
		return this.take("metadata", { action: METADATA_ACTION, ...machine }).length > 0;
	}

	/** What is wrong with the identity document that a machine asks for now; null for nothing. Uses the fault up. */
	identityOf(machine: Omit<CallFacts, "action">): IdentityAs | null {
		const [fault] = this.take("identity", { action: METADATA_ACTION, ...machine });
		return fault?.kind === "identity" ? fault.as : null;
	}

	/** By how much the cloud's clock is ahead at this call, ms. Uses the fault up. */
	takeClockOffset(): number {
		const [fault] = this.take("clock", { action: "*", region: "" });
		return fault?.kind === "wrong_clock" ? fault.offsetMs : 0;
	}

	/** Whether a launch there would meet an error now. Uses nothing up. */
	blocksLaunch(facts: CallFacts): boolean {
		return this.#faults.some(({ spec }) => spec.error !== undefined && this.#stageOf(spec) === "launch" && matches(spec, facts));
	}

	#stageOf({ action, error, behaviour }: ActiveFault["spec"]): Stage {
		const { launchAction, launchErrors } = this.#dialect;
		if (behaviour?.kind === "wrong_clock") return "clock";
		if (action === METADATA_ACTION) return behaviour?.kind === "identity" ? "identity" : "metadata";
		if (action !== launchAction && action !== "*") return "entrance";
		const atLaunch = error ? launchErrors.has(error.code) : LAUNCH_BEHAVIOURS.has(behaviour?.kind ?? "");
		return atLaunch ? "launch" : "entrance";
	}

	#use(fault: ActiveFault): void {
		if (fault.remaining === "always") return;
		fault.remaining -= 1;
		if (fault.remaining === 0) this.remove(fault.id);
	}
}

/** The longest of the behaviours of this kind; 0 when there is none. */
export function durationOf(behaviours: readonly FaultBehaviour[], kind: FaultBehaviour["kind"]): number {
	return Math.max(0, ...behaviours.map((behaviour) => (behaviour.kind === kind && "durationMs" in behaviour ? behaviour.durationMs : 0)));
}

function matches({ action, match }: ActiveFault["spec"], facts: CallFacts): boolean {
	if (action !== "*" && action !== facts.action) return false;
	if (!match) return true;
	return (["region", "zone", "instanceType", "spot"] as const).every((key) => match[key] === undefined || match[key] === facts[key]);
}
