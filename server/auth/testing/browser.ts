import { Auth, type AuthConfig } from "@auth/core";

/** A headless browser: cookies per host, redirects, forms. Requests to the origin of `appUrl` go to Auth directly. */
export class Browser {
	readonly #jar = new Map<string, Map<string, string>>();
	readonly #appUrl: string;
	readonly #appOrigin: string;
	readonly #config: AuthConfig;

	constructor(appUrl: string, config: AuthConfig) {
		this.#appUrl = appUrl;
		this.#appOrigin = new URL(appUrl).origin;
		this.#config = config;
	}

	/** Cookies that the app has set. */
	cookies(): ReadonlyMap<string, string> {
		return this.#cookiesOf(this.#appOrigin);
	}

	async session(): Promise<unknown> {
		return (await this.#request(new URL(`${this.#appUrl}/api/auth/session`), {})).json();
	}

	/** Starts single sign-on and follows redirects and the issuer's forms until the app shows a page. */
	async signIn(login: string): Promise<URL> {
		const csrf = (await (await this.#request(new URL(`${this.#appUrl}/api/auth/csrf`), {})).json()) as { csrfToken: string };
		let at = new URL(`${this.#appUrl}/api/auth/signin/oidc`);
		let form: Record<string, string> | null = { csrfToken: csrf.csrfToken, callbackUrl: `${this.#appUrl}/jobs` };
		for (let hops = 0; hops < 20; hops++) {
			const isOwnPage = at.origin === this.#appOrigin && !at.pathname.includes("/api/auth/");
			if (isOwnPage) return at;
			const response = await this.#request(at, form === null ? {} : { method: "POST", body: new URLSearchParams(form) });
			const location = response.headers.get("location");
			form = null;
			if (location !== null) at = new URL(location, at);
			else ({ at, form } = nextForm(await response.text(), at, login));
		}
		throw new Error(`too many redirects, last to ${at.href}`);
	}

	async #request(url: URL, init: RequestInit): Promise<Response> {
		const jar = this.#cookiesOf(url.origin);
		const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
		const request = new Request(url, { ...init, redirect: "manual", headers: { cookie } });
		const response = url.origin === this.#appOrigin ? await Auth(request, this.#config) : await fetch(request);
		for (const line of response.headers.getSetCookie()) {
			const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (value === "" || /max-age=0/i.test(line)) jar.delete(name);
			else jar.set(name, value);
		}
		return response;
	}

	#cookiesOf(origin: string): Map<string, string> {
		const jar = this.#jar.get(origin) ?? new Map<string, string>();
		this.#jar.set(origin, jar);
		return jar;
	}
}

/** oidc-provider's own pages: one form for the login, one for the consent. */
function nextForm(html: string, at: URL, login: string): { at: URL; form: Record<string, string> } {
	const action = /action="([^"]+)"/.exec(html)?.[1];
	if (action === undefined) throw new Error(`no form at ${at.href}: ${html.slice(0, 300)}`);
	const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1] ?? "consent";
	return { at: new URL(action, at), form: prompt === "login" ? { prompt, login, password: "any" } : { prompt } };
}
