import { ComputeManagementClient, type VirtualMachine } from "@azure/arm-compute";

/** The part of the SDK's HTTP client interface that is needed here. */
type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof ComputeManagementClient>[2]>["httpClient"]>;

/**
 * Returns the paths of fields in a virtual machine's JSON that the SDK does not know. The SDK parses the JSON as a response and
 * serializes the result as a request; whatever is lost on the way is not Azure's, or may not be sent by a client.
 */
export async function unknownFields(json: Record<string, unknown>): Promise<string[]> {
	const machine = await readBySdk(json);
	return lostPaths(json, await writtenBySdk(machine), "");
}

function readBySdk(json: Record<string, unknown>): Promise<VirtualMachine> {
	return sdk((_body) => json).virtualMachines.get("any", "any");
}

async function writtenBySdk(machine: VirtualMachine): Promise<unknown> {
	let written: unknown = {};
	const client = sdk((body) => {
		written = JSON.parse(body);
		return {};
	});
	await client.virtualMachines.createOrUpdate("any", "any", machine).submitted();
	return written;
}

/** A client that sends nothing: `answer` receives each request body and returns the response. */
function sdk(answer: (body: string) => unknown): ComputeManagementClient {
	const httpClient: HttpClient = {
		sendRequest: async (request) => {
			const bodyAsText = JSON.stringify(answer(typeof request.body === "string" ? request.body : ""));
			request.headers.set("content-type", "application/json");
			return { request, headers: request.headers, status: 200, bodyAsText };
		},
	};
	// Without a credential the SDK adds no authentication, but its types require one.
	const noCredential = undefined as unknown as ConstructorParameters<typeof ComputeManagementClient>[0];
	return new ComputeManagementClient(noCredential, "any", { httpClient, retryOptions: { maxRetries: 0 } });
}

function lostPaths(given: unknown, kept: unknown, path: string): string[] {
	if (typeof given !== "object" || given === null) return given === kept ? [] : [path];
	if (typeof kept !== "object" || kept === null) return [path];
	return Object.entries(given).flatMap(([key, value]) => {
		const below = path === "" ? key : `${path}.${key}`;
		return Object.hasOwn(kept, key) ? lostPaths(value, Object.entries(kept).find(([k]) => k === key)?.[1], below) : [below];
	});
}
