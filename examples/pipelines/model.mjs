// Softmax regression over letters, pairs and triples of a name, hashed into a fixed number of features.

const FEATURES = 512;

export function featuresOf(name) {
	const text = `^${name}$`;
	const features = [];
	for (let n = 1; n <= 3; n++)
		for (let i = 0; i + n <= text.length; i++) {
			let h = 0x811c9dc5;
			for (let k = i; k < i + n; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193) >>> 0;
			features.push(h % FEATURES);
		}
	return features;
}

export function newModel(classes) {
	return { classes, weights: classes.map(() => new Array(FEATURES).fill(0)) };
}

export function probabilities({ weights }, features) {
	const scores = weights.map((row) => features.reduce((sum, f) => sum + row[f], 0) / features.length);
	const most = Math.max(...scores);
	const raised = scores.map((score) => Math.exp(score - most));
	const sum = raised.reduce((a, b) => a + b, 0);
	return raised.map((value) => value / sum);
}

/** One step of gradient descent. Returns the loss. */
export function learn(model, features, label, rate) {
	const guess = probabilities(model, features);
	for (const [c, row] of model.weights.entries()) {
		const gradient = (guess[c] - (c === label ? 1 : 0)) * rate;
		for (const f of features) row[f] -= gradient;
	}
	return -Math.log(Math.max(guess[label], 1e-12));
}

/** Share of examples with the right class. */
export function accuracyOf(model, examples) {
	const right = examples.filter(([language, name]) => {
		const guess = probabilities(model, featuresOf(name));
		return model.classes[guess.indexOf(Math.max(...guess))] === language;
	});
	return right.length / examples.length;
}
