import { isTeamScoped } from "#server/domain/permissions.ts";
import { contract } from "./contract.ts";
import { type Operation, pathParameters } from "./operation.ts";

export interface ListedOperation extends Operation {
	/** `job.list` */
	id: string;
	/** Names of the `{…}` parts of the path, in order. */
	parameters: string[];
	/** `team`: some roles may use it for their own teams only. `company`: a role may use it for everything or not at all. */
	scope: "team" | "company";
}

/** Every public operation with its id, in the order of the contract. */
export const OPERATIONS: readonly ListedOperation[] = Object.entries(contract).flatMap(([group, operations]) =>
	Object.entries(operations as Record<string, Operation>).map(([name, operation]) => ({
		...operation,
		id: `${group}.${name}`,
		parameters: pathParameters(operation.path),
		scope: isTeamScoped(operation.permission) ? ("team" as const) : ("company" as const),
	})),
);
