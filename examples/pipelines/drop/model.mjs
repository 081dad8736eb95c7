// A network with one hidden layer (ReLU, dropout), softmax and Adam, written out by hand.
export const HIDDEN = 64;
const DROPOUT = 0.2;
const LEARNING_RATE = 0.002;
const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

/** mulberry32: a random generator with one 32-bit number as its state, so that a checkpoint can store it. */
export class Random {
	constructor(state) {
		this.state = state >>> 0;
	}
	next() {
		this.state = (this.state + 0x6d2b79f5) >>> 0;
		let t = this.state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
	}
	below(n) {
		return Math.floor(this.next() * n);
	}
	normal() {
		return Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
	}
}

/** All numbers of the network in one array: features × hidden, hidden biases, hidden × classes, class biases. */
export class Model {
	constructor(features, classes, random) {
		this.features = features;
		this.classes = classes;
		this.b1 = features * HIDDEN;
		this.w2 = this.b1 + HIDDEN;
		this.b2 = this.w2 + HIDDEN * classes;
		this.size = this.b2 + classes;
		this.weights = new Float32Array(this.size);
		this.momentum = new Float32Array(this.size);
		this.variance = new Float32Array(this.size);
		this.gradient = new Float32Array(this.size);
		for (let i = 0; i < this.b1; i++) this.weights[i] = random.normal() * 0.1;
		for (let i = this.w2; i < this.b2; i++) this.weights[i] = random.normal() * Math.sqrt(2 / HIDDEN);
	}

	/** Hidden activations and class probabilities of one example. With `random`, dropout is on. */
	forward(example, random) {
		const { weights } = this;
		const hidden = weights.slice(this.b1, this.b1 + HIDDEN);
		for (let k = 0; k < example.indices.length; k++) {
			const row = example.indices[k] * HIDDEN;
			const value = example.values[k];
			for (let j = 0; j < HIDDEN; j++) hidden[j] += weights[row + j] * value;
		}
		for (let j = 0; j < HIDDEN; j++) {
			const kept = random === undefined ? 1 : random.next() < DROPOUT ? 0 : 1 / (1 - DROPOUT);
			hidden[j] = hidden[j] > 0 ? hidden[j] * kept : 0;
		}
		const output = weights.slice(this.b2, this.b2 + this.classes);
		for (let j = 0; j < HIDDEN; j++) {
			if (hidden[j] === 0) continue;
			const row = this.w2 + j * this.classes;
			for (let c = 0; c < this.classes; c++) output[c] += hidden[j] * weights[row + c];
		}
		const top = Math.max(...output);
		let sum = 0;
		for (let c = 0; c < this.classes; c++) sum += output[c] = Math.exp(output[c] - top);
		for (let c = 0; c < this.classes; c++) output[c] /= sum;
		return { hidden, output };
	}

	/** One step of Adam on a batch. Returns the batch's summed loss and the number of correct predictions. */
	learn(batch, step, random) {
		this.gradient.fill(0);
		let loss = 0;
		let right = 0;
		for (const example of batch) {
			const { hidden, output } = this.forward(example, random);
			loss -= Math.log(Math.max(output[example.label], 1e-12));
			if (output.indexOf(Math.max(...output)) === example.label) right++;
			this.backward(example, hidden, output, 1 / batch.length);
		}
		this.adam(step);
		return { loss, right };
	}

	backward(example, hidden, output, scale) {
		const { weights, gradient, classes } = this;
		for (let c = 0; c < classes; c++) {
			const error = (output[c] - (c === example.label ? 1 : 0)) * scale;
			output[c] = error;
			gradient[this.b2 + c] += error;
		}
		for (let j = 0; j < HIDDEN; j++) {
			if (hidden[j] === 0) continue;
			const row = this.w2 + j * classes;
			let error = 0;
			for (let c = 0; c < classes; c++) {
				gradient[row + c] += hidden[j] * output[c];
				error += weights[row + c] * output[c];
			}
			error /= 1 - DROPOUT;
			gradient[this.b1 + j] += error;
			for (let k = 0; k < example.indices.length; k++) gradient[example.indices[k] * HIDDEN + j] += example.values[k] * error;
		}
	}

	adam(step) {
		const { weights, gradient, momentum, variance } = this;
		const rate = (LEARNING_RATE * Math.sqrt(1 - BETA2 ** step)) / (1 - BETA1 ** step);
		for (let i = 0; i < this.size; i++) {
			const g = gradient[i];
			momentum[i] = BETA1 * momentum[i] + (1 - BETA1) * g;
			variance[i] = BETA2 * variance[i] + (1 - BETA2) * g * g;
			weights[i] -= (rate * momentum[i]) / (Math.sqrt(variance[i]) + EPSILON);
		}
	}

	/** Share of the examples classified correctly. */
	accuracy(examples) {
		const right = examples.filter((example) => {
			const { output } = this.forward(example);
			return output.indexOf(Math.max(...output)) === example.label;
		});
		return right.length / examples.length;
	}
}
