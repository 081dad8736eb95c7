import { createServer } from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { SELF_SIGNED } from "#server/services/notification/delivery/testing/certificate.ts";

/** A forward proxy: every tunnel through it ends at a TLS server with the test certificate, which passes to another server. */
export async function openTlsProxy() {
	const tunnels: string[] = [];
	let target = 0;
	const tls = createTlsServer(SELF_SIGNED, (client) => {
		const own = connect(target, "127.0.0.1");
		own.on("error", () => client.destroy());
		client.on("error", () => own.destroy());
		client.pipe(own).pipe(client);
	});
	const proxy = createServer((_, response) => void response.writeHead(405).end());
	const tlsPort = await listen(tls);
	proxy.on("connect", (request, client) => {
		tunnels.push(request.url ?? "");
		const own = connect(tlsPort, "127.0.0.1", () => {
			client.write("HTTP/1.1 200 Connection established\r\n\r\n");
			own.pipe(client).pipe(own);
		});
		own.on("error", () => client.destroy());
		client.on("error", () => own.destroy());
	});
	return {
		url: `http://127.0.0.1:${await listen(proxy)}`,
		/** Hosts and ports that were asked for. */
		tunnels,
		leadTo(url: string): void {
			target = Number(new URL(url).port);
		},
		async close(): Promise<void> {
			proxy.close();
			tls.close();
			proxy.closeAllConnections();
		},
	};
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return (server.address() as AddressInfo).port;
}
