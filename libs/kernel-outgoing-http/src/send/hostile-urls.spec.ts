import { OutgoingGuard } from '../guard/outgoing-guard.js';

/** Every name resolves to a public address: refusals are for the URL itself. */
function setup() {
  const guard = new OutgoingGuard({
    allowHttp: false,
    allowedCidrs: [],
    resolve: async () => [{ address: '93.184.215.14', family: 4 }],
  });
  return {
    vet: (url: string) => guard.vet(url, { tenantId: 'acme', urlSetByOperator: true }, new AbortController().signal),
  };
}

const addresses: Record<string, string[]> = {
  'in plain decimal': [
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '0.0.0.0',
  ],
  'of the clouds': [
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
  ],
  'as one number': ['2130706433', '2852039166', '3232235521', '0', '4294967295'],
  'in octal': ['0177.0.0.1', '017700000001', '0300.0250.0.1', '0251.0376.0251.0376', '00000177.0.0.1'],
  'in hex': ['0x7f000001', '0x7f.0x0.0x0.0x1', '0xA9FEA9FE', '0xa9.0xfe.0xa9.0xfe', '0x0'],
  'in a short form': ['127.1', '127.0.1', '10.1', '192.168.257', '169.254.43518', '1'],
  'in mixed bases': ['0x7f.1', '0177.1', '169.0376.0xa9fe', '0xa.0.1'],
  'with a trailing dot': ['127.0.0.1.', '0x7f.1.', '2130706433.', '169.254.169.254.'],
  'in other digits': [
    '１２７.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '127．0．0．1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '%31%32%37.0.0.1',
    '1\u00ad27.0.0.1',
  ],
  'of IPv6': [
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[fe80::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
  ],
  'v4-mapped': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::FFFF:10.0.0.1]',
    '[::ffff:168.63.129.16]',
  ],
  'v4-compatible and v4-translated': ['[::127.0.0.1]', '[::a9fe:a9fe]', '[::ffff:0:127.0.0.1]'],
  'in NAT64': ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b::a83f:8110]', '[64:ff9b:1::808:808]'],
  'in 6to4': ['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2002:a00:1::5]', '[2002:c0a8:1::1]', '[2002:c058:6301::1]'],
  'in Teredo and ISATAP': [
    '[2001:0:5ef5:79fb::1]',
    '[2606:4700::5efe:7f00:1]',
    '[2606:4700::200:5efe:a00:1]',
    '[2002:808:808::5efe:7f00:1]',
    '[2606:4700::300:5efe:a00:1]',
  ],
  'with a port': ['127.0.0.1:443', '169.254.169.254:80', '[::1]:8443', '2130706433:1', '127.1.:65535'],
};

const notations: Record<string, [code: string, url: string][]> = {
  'with userinfo': [
    ['userinfo', 'https://example.com@93.184.215.14/'],
    ['address', 'https://@127.0.0.1/'],
    ['userinfo', 'https://127.0.0.1@example.com/'],
    ['userinfo', 'https://127.0.0.1:443@example.com/'],
    ['userinfo', 'https://user:@example.com/'],
    ['userinfo', 'https://:password@example.com/'],
    ['userinfo', 'https://@example.com/'],
    ['userinfo', 'https://:@example.com/'],
    ['userinfo', 'https:user@example.com/'],
    ['userinfo', 'https://example.com%2f@example.org/'],
    ['userinfo', 'https://a@b@example.com/'],
  ],
  'with zone ids': [
    ['malformed', 'https://[fe80::1%25eth0]/'],
    ['malformed', 'https://[fe80::1%eth0]/'],
    ['malformed', 'https://[::1%25lo]/'],
  ],
  'that parsers read differently': [
    ['malformed', 'https:\\\\example.com/'],
    ['malformed', 'https://example.com\\@127.0.0.1/'],
    ['malformed', 'https://127.0.0.1\\.example.com/'],
    ['address', 'https:/127.0.0.1/'],
    ['address', 'https:127.0.0.1'],
    ['address', 'https:////127.0.0.1/'],
    ['malformed', 'https://exam\tple.com/'],
    ['malformed', 'https://127.0.0.1\r\nhost: example.com/'],
    ['malformed', ' https://example.com/'],
    ['malformed', 'https://example.com/\u2028'],
    ['malformed', 'https://localhost%00.example.com/'],
    ['malformed', 'https://example.com%0d%0a/'],
    ['malformed', 'https://[::1'],
    ['malformed', 'https://[1:2:3]/'],
    ['malformed', 'https://1.2.3.4.5/'],
    ['malformed', 'https://0x100000000/'],
    ['malformed', 'https://256.256.256.256/'],
    ['malformed', 'https://09.0.0.1/'],
  ],
  'with dots': [
    ['malformed', 'https://example.com../'],
    ['malformed', 'https://.example.com/'],
    ['malformed', 'https://example..com/'],
    ['malformed', 'https://./'],
    ['address', 'https://127.0.0.1../'],
  ],
  'in Unicode': [
    ['malformed', 'https://\u202eexample.com/'],
    ['malformed', 'https://exa\u0000mple.com/'],
    ['malformed', 'https://\ud800.example.com/'],
  ],
  'with ports': [
    ['malformed', 'https://example.com:0/'],
    ['malformed', 'https://example.com:65536/'],
    ['malformed', 'https://example.com:-1/'],
    ['malformed', 'https://example.com:443:443/'],
    ['malformed', 'https://example.com:0x1bb/'],
    ['scheme', 'http://example.com:443/'],
  ],
  'of other schemes': [
    ['scheme', 'http://example.com/'],
    ['scheme', 'HTTP://example.com/'],
    ['scheme', 'file:///etc/passwd'],
    ['scheme', 'gopher://127.0.0.1:6379/_x'],
    ['scheme', 'ftp://example.com/'],
    ['scheme', 'ws://example.com/'],
    ['scheme', 'blob:https://example.com/x'],
    ['scheme', 'data:text/plain,x'],
    ['scheme', 'mailto:a@example.com'],
    ['malformed', '//example.com/'],
    ['malformed', '/var/run/docker.sock'],
  ],
  'with a fragment': [
    ['fragment', 'https://example.com/#@127.0.0.1'],
    ['fragment', 'https://example.com/#'],
  ],
};

describe('[KER-6] hostile URLs', () => {
  it.each(Object.entries(addresses).flatMap(([how, hosts]) => hosts.map((host) => [how, host])))(
    'an address %s is refused: %s',
    async (_how, host) => {
      expect(await setup().vet(`https://${host}/`)).toMatchObject({ isAllowed: false, code: 'address' });
    },
  );

  it.each(
    Object.entries(notations).flatMap(([how, urls]) =>
      urls.map(([code, url]): [string, string, string] => [how, code, url]),
    ),
  )('a URL %s is refused (%s): %j', async (_how, code, url) => {
    expect(await setup().vet(url)).toMatchObject({ isAllowed: false, code });
  });

  it.each([
    'https://example.com/@127.0.0.1',
    'https://example.com/?url=http://user@127.0.0.1/',
    'https://example.com./',
    'https://example.com:8443/',
    'https://bücher.example/',
    'https://xn--bcher-kva.example/',
    'https://[2606:4700:4700::1111]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[2002:808:808::1]/',
  ])('one that only looks hostile is let through: %s', async (url) => {
    expect(await setup().vet(url)).toMatchObject({ isAllowed: true });
  });
});
