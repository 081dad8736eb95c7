import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Store } from "./book/store.ts";
import { type BookedInstance, bookedInstances } from "./booked-instances.ts";
import { Catalog } from "./catalog.ts";
import { FaultControl } from "./faults.ts";
import { type Answer, isLoopbackAddress, isLoopbackHost, sendAnswer, textAnswer } from "./http/answer.ts";
import { answerControl } from "./http/control-endpoint.ts";
import { answerEc2 } from "./http/ec2-endpoint.ts";
import { answerMetadata } from "./http/metadata-endpoint.ts";
import { Lifecycle } from "./lifecycle.ts";
import { type Ec2EmulatorOptions, resolveOptions } from "./options.ts";
import type { World } from "./world.ts";

export interface Ec2Emulator {
	/** The endpoint for the SDK: `new EC2Client({ endpoint: url, … })`. */
	url: string;
	port: number;
	faults: FaultControl;
	/** The emulator's own book. */
	instances(): BookedInstance[];
	/** Gives a spot instance its interruption notice. @throws RangeError when there is none to give. */
	interrupt(instanceId: string): void;
	/**
	 * Closes the endpoint. With `killInstances` every machine is ended first and booked as terminated; without, they
	 * go on running and the next start on the same port and folder takes them over.
	 */
	stop(options: { killInstances: boolean }): Promise<void>;
}

/** Starts an EC2 endpoint on loopback whose instances are processes of this host. */
export async function startEc2Emulator(given: Ec2EmulatorOptions): Promise<Ec2Emulator> {
	const options = resolveOptions(given);
	const catalog = new Catalog(options.catalog);
	const store = new Store(options.stateDir, options.clock());
	const faults = new FaultControl();
	let url = "";
	const lifecycle = new Lifecycle(options, store, () => url);
	const world: World = { options, catalog, store, lifecycle, faults, url: () => url, closing: false };
	const server = createServer((request, response) => void handle(world, request, response));
	const port = await listen(server, options.port, options.host);
	url = `http://${options.host}:${port}`;
	lifecycle.resume();
	return {
		url,
		port,
		faults,
		instances: () => bookedInstances(world),
		interrupt(instanceId) {
			const machine = store.machine(instanceId);
			if (!machine) throw new RangeError(`there is no instance ${instanceId}`);
			lifecycle.interrupt(machine);
		},
		async stop({ killInstances }) {
			world.closing = true;
			if (killInstances) await lifecycle.endAll();
			lifecycle.close();
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function handle(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
	try {
		const answer = await route(world, request);
		if (answer) sendAnswer(response, answer);
		else request.socket.destroy();
	} catch (error) {
		world.options.log(`${request.method} ${request.url} failed: ${String(error)}`);
		request.socket.destroy();
	}
}

/** Null: the connection is cut without an answer. */
async function route(world: World, request: IncomingMessage): Promise<Answer | null> {
	if (!isLoopbackAddress(request.socket.remoteAddress) || !isLoopbackHost(request.headers.host)) {
		return textAnswer(403, "The emulated EC2 endpoint answers this host only.\n");
	}
	const path = (request.url ?? "/").replace(/\?.*/, "");
	if (path.startsWith("/_emulator/")) return answerControl(world, request, path);
	if (path.startsWith("/imds/")) return answerMetadata(world, request, path);
	if (path === "/") return answerEc2(world, request);
	return textAnswer(404, "Not found: EC2 Query requests go to /.\n");
}

function listen(server: Server, port: number, host: string): Promise<number> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			server.off("error", reject);
			const address = server.address();
			resolve(typeof address === "object" && address ? address.port : port);
		});
	});
}
