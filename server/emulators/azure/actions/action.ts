import type { CallFacts } from "../../shared/faults.ts";
import { notEmulated } from "../arm-error.ts";
import type { World } from "../world.ts";

/** One request to Azure Resource Manager, with its path already matched. */
export interface ArmCall {
	world: World;
	/** The variables of the path, e.g. `vmName`. */
	path: Record<string, string>;
	query: URLSearchParams;
	headers: Readonly<Record<string, string | string[] | undefined>>;
	/** The body's JSON; null if there is none. */
	body: unknown;
	/** Delays that the fault script adds to this call. */
	delays: { terminationMs: number };
}

export interface ArmReply {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
}

/** A validated call: its facts for the fault script, and a function that executes it. */
interface PreparedCall {
	facts: CallFacts;
	/**
	 * Executes the call in one synchronous step.
	 * @throws ArmError
	 */
	run(): ArmReply;
}

export interface ArmAction {
	/** The SDK's name of the operation, e.g. `virtualMachines.get`. */
	name: string;
	method: "GET" | "PUT" | "POST" | "DELETE";
	/** As in Azure's definitions: `/subscriptions/{subscriptionId}/…`. */
	path: string;
	/** The API version that the SDK sends; null: every version is served, as for the state of operations. */
	apiVersion: string | null;
	/** @throws ArmError */
	prepare(call: ArmCall): Promise<PreparedCall>;
}

export interface ActionSpec<Input> extends Omit<ArmAction, "prepare"> {
	/** Query parameters supported in addition to `api-version`; others are rejected. */
	query?: readonly string[];
	/**
	 * Validates the request as far as possible without the state of the cloud.
	 * @throws ArmError
	 */
	read(call: ArmCall): Input | Promise<Input>;
	facts?(input: Input, call: ArmCall): Omit<CallFacts, "action">;
	run(input: Input, call: ArmCall): ArmReply;
}

/** A region that matches no fault, for calls that concern the whole subscription. */
const EVERYWHERE = "global";

export function defineAction<Input>(spec: ActionSpec<Input>): ArmAction {
	const { name, method, path, apiVersion } = spec;
	return {
		name,
		method,
		path,
		apiVersion,
		async prepare(call) {
			const strange = [...call.query.keys()].find((key) => key !== "api-version" && !spec.query?.includes(key));
			if (strange !== undefined) throw notEmulated(`the query parameter ${strange} of ${name}`);
			const input = await spec.read(call);
			return {
				facts: { action: name, ...(spec.facts?.(input, call) ?? { region: EVERYWHERE }) },
				run: () => spec.run(input, call),
			};
		},
	};
}
