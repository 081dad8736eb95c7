// Trains a network to classify the language of a name. Designed to be interrupted: when restarted, it resumes from its
// checkpoint.
import { setImmediate, setTimeout } from "node:timers/promises";
import { loadNewestCheckpoint, saveCheckpoint } from "./checkpoint.mjs";
import { FEATURES, loadNames } from "./data.mjs";
import { Model, Random } from "./model.mjs";
import { readOptions, USAGE } from "./options.mjs";

/** 128 + the signal's number, as shells report it: not 0, so that an interrupted run is not mistaken for a finished one. */
const SIGNAL_EXIT = { SIGTERM: 143, SIGINT: 130 };

function shuffle(order, random) {
	for (let i = order.length - 1; i > 0; i--) {
		const j = random.below(i + 1);
		[order[i], order[j]] = [order[j], order[i]];
	}
}

/** A run from its beginning, or as the newest checkpoint of the same seed, batch and data left it. */
function startOrResume(options, data) {
	const random = new Random(options.seed);
	const model = new Model(FEATURES, data.classes.length, random);
	const order = Float32Array.from(data.train.keys());
	const run = { step: 0, epoch: 0, loss: 0, right: 0, seen: 0, random, model, order };
	const identity = { seed: options.seed, batch: options.batch, data: data.digest };
	const differs = (state) => Object.keys(identity).find((key) => state.identity?.[key] !== identity[key]);
	const found = loadNewestCheckpoint(
		options.checkpointDir,
		(state) => (differs(state) ? `it is of a run with another ${differs(state)}` : null),
		console.log,
	);
	if (found) {
		const { step, epoch, loss, right, seen } = found.state;
		Object.assign(run, { step, epoch, loss, right, seen, order: found.arrays.order });
		random.state = found.state.random;
		for (const name of ["weights", "momentum", "variance"]) model[name].set(found.arrays[name]);
		console.log(`resumed from step ${step} (${found.name})`);
	} else {
		console.log("started from step 0");
	}
	const save = () => {
		const { step, epoch, loss, right, seen } = run;
		const { weights, momentum, variance } = model;
		const state = { step, epoch, loss, right, seen, random: random.state, identity };
		saveCheckpoint(options.checkpointDir, state, { weights, momentum, variance, order: run.order });
	};
	return { run, save };
}

/** One batch. Starts a new epoch, with the names in a new order, when the previous one is finished. */
function trainStep(run, options, data, stepsPerEpoch) {
	const inEpoch = run.step % stepsPerEpoch;
	if (inEpoch === 0) {
		run.epoch += 1;
		shuffle(run.order, run.random);
	}
	const batch = [...run.order.subarray(inEpoch * options.batch, (inEpoch + 1) * options.batch)].map((i) => data.train[i]);
	run.step += 1;
	const { loss, right } = run.model.learn(batch, run.step, run.random);
	run.loss += loss;
	run.right += right;
	run.seen += batch.length;
	if (run.step % options.logEvery !== 0) return;
	// Loss and accuracy are means over the names seen since the line before.
	console.log(`step ${run.step} epoch ${run.epoch} loss ${(run.loss / run.seen).toFixed(4)} acc ${(run.right / run.seen).toFixed(3)}`);
	Object.assign(run, { loss: 0, right: 0, seen: 0 });
}

/** Trains to the end or to a signal; answers the signal, or null. */
async function train(options, data, { run, save }) {
	const stepsPerEpoch = Math.ceil(data.train.length / options.batch);
	const lastStep = options.epochs * stepsPerEpoch;
	const stop = new AbortController();
	let signal = null;
	for (const name of Object.keys(SIGNAL_EXIT)) {
		process.once(name, () => {
			signal = name;
			stop.abort();
		});
	}
	let saved = { step: run.step, at: performance.now() };
	while (run.step < lastStep && signal === null) {
		trainStep(run, options, data, stepsPerEpoch);
		const { steps, ms } = options.checkpointEvery;
		if (run.step - saved.step >= steps || performance.now() - saved.at >= ms) {
			save();
			saved = { step: run.step, at: performance.now() };
		}
		// A turn of the event loop, in which a signal is heard, even without a delay.
		if (options.stepDelayMs === 0) await setImmediate();
		else await setTimeout(options.stepDelayMs, undefined, { signal: stop.signal }).catch(() => {});
	}
	if (run.step > saved.step) save();
	return run.step < lastStep ? signal : null;
}

async function main() {
	let options;
	try {
		options = readOptions(process.argv.slice(2), process.env);
	} catch (error) {
		console.error(`${error.message}\n${USAGE}`);
		process.exitCode = 2;
		return;
	}
	if (process.env.CUDA_VISIBLE_DEVICES !== undefined) console.log(`CUDA_VISIBLE_DEVICES=${process.env.CUDA_VISIBLE_DEVICES}`);
	const data = loadNames();
	console.log(`${data.train.length} names to learn from, ${data.test.length} to test with, ${data.classes.length} languages`);
	const session = startOrResume(options, data);
	const signal = await train(options, data, session);
	if (signal !== null) {
		console.log(`${signal}: saved at step ${session.run.step}, to be resumed`);
		process.exitCode = SIGNAL_EXIT[signal];
		return;
	}
	console.log(`done at step ${session.run.step}: test accuracy ${session.run.model.accuracy(data.test).toFixed(4)}`);
}

await main();
