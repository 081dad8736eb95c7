// The thread that sends one attack again and again until it gets a message, then posts the number of answers by status.
import http from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const { url, token, attack, atOnce } = workerData;
const body = Buffer.from(attack.body);
const headers = {
	...{ authorization: `Bearer ${token}`, "content-type": attack.type ?? "application/json", "content-length": body.length },
};
const answers = {};
let isOver = false;
parentPort.once("message", () => {
	isOver = true;
});

function send() {
	return new Promise((resolve) => {
		const request = http.request(url + attack.path, { method: "POST", headers }, (answer) => {
			answer.resume().once("close", () => resolve(answer.statusCode));
		});
		// The server answers and closes the connection before it has read the whole body.
		request.once("error", ({ code }) => resolve(code));
		request.end(body);
	});
}

await Promise.all(
	Array.from({ length: atOnce }, async () => {
		while (!isOver) {
			const answer = await send();
			answers[answer] = (answers[answer] ?? 0) + 1;
		}
	}),
);
parentPort.postMessage(answers);
