// Users of the API during an upgrade: a load balancer's view of several web servers, and clients that submit and read jobs.
import { setTimeout as sleep } from "node:timers/promises";

const CLIENTS = 4;
const PAUSE_MS = 50;
/** The other requests read. */
const SUBMIT_EVERY = 20;
const READS = ["/jobs?limit=50", "/sites", "/budgets", "/spend", "/policies"];

/** Sends each request to the next web server in rotation, as a load balancer does. */
export class Rotation {
	#servers = [];
	#turn = 0;
	#open = new Map();

	add(server) {
		this.#servers.push(server);
	}

	/** Takes a server out of rotation and waits for its open requests, as the chart's preStop hook does. */
	async drain(server) {
		this.#servers = this.#servers.filter((one) => one !== server);
		while ((this.#open.get(server) ?? 0) > 0) await sleep(PAUSE_MS);
	}

	/** @returns {Promise<{status: number, body: any}>} status 0: no response */
	async call(path, { token, body } = {}) {
		const server = this.#servers[this.#turn++ % this.#servers.length];
		this.#open.set(server, (this.#open.get(server) ?? 0) + 1);
		try {
			const answer = await fetch(`${server.url}/api/v1${path}`, {
				method: body === undefined ? "GET" : "POST",
				headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), "content-type": "application/json" },
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			const text = await answer.text();
			return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
		} catch (error) {
			return { status: 0, body: String(error.cause ?? error) };
		} finally {
			this.#open.set(server, this.#open.get(server) - 1);
		}
	}
}

/** Submits and reads jobs until stopped. */
export class Traffic {
	requests = 0;
	failures = [];
	/** Ids of accepted jobs. */
	jobs = [];
	#running = [];
	#isOver = false;

	/** @param {Rotation} rotation @param {string} token @param {(name: string) => object} jobOf */
	constructor(rotation, token, jobOf) {
		for (let client = 0; client < CLIENTS; client++) this.#running.push(this.#run(rotation, token, (n) => jobOf(`upgrade-${client}-${n}`)));
	}

	async #run(rotation, token, jobOf) {
		for (let n = 0; !this.#isOver; n++) {
			const isSubmit = n % SUBMIT_EVERY === 0;
			const path = isSubmit ? "/jobs" : READS[n % READS.length];
			const { status, body } = await rotation.call(path, { token, ...(isSubmit ? { body: jobOf(n) } : {}) });
			this.requests++;
			if (status < 200 || status > 299)
				this.failures.push(`${isSubmit ? "POST" : "GET"} ${path}: ${status} ${JSON.stringify(body).slice(0, 300)}`);
			else if (isSubmit) this.jobs.push(...idsOf(body));
			await sleep(PAUSE_MS);
		}
	}

	async stop() {
		this.#isOver = true;
		await Promise.all(this.#running);
	}
}

function idsOf(body) {
	return body.id ? [body.id] : (body.ids ?? body.items?.map((item) => item.id) ?? []);
}
