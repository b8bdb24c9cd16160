// Reads models of wmsketch and predicts, in browsers and in Node, without dependencies. Written by `wmsketch export`.
//
//   const model = load(await (await fetch("model.wms")).arrayBuffer()); // in Node: load(readFileSync("model.wms"))
//   model.predict({ minutes: 12.5, city: "Rome" });
//
// A classifier has `labels` ([negative, positive]), `predict`, `probability` (of the positive label) and `margin` (the
// log odds before calibration). A model of a number has `predict` and `margin`. Both have `weight` and `keyOf`, of a
// feature.
//
// A row is an object. A number is a feature with the name of its column, text and booleans are `column=value`; null,
// undefined, NaN and "" are missing. A time is a text like "2024-05-17 08:30:00". The result has the bits of wmsketch's
// own `predict` for the same columns in the same order. A Map takes features by number: new Map([[17, 0.5]]), and
// an array takes those of its places.

const { fround, imul } = Math;
const BITS = new DataView(new ArrayBuffer(8));
const LOW = (1n << 64n) - 1n;
const VERSION = 3; // of the format of model files
const START = '{"__metadata__":{"wmsketch":"{\\"checksum\\":\\"'; // at byte 8 of each of them; then 64 digits
const ARRAYS = { U64: BigUint64Array, I64: BigInt64Array, F64: Float64Array, F32: Float32Array, U32: Uint32Array };
Object.assign(ARRAYS, { I32: Int32Array, U16: Uint16Array, I16: Int16Array, I8: Int8Array, U8: Uint8Array });
const RULES_OF_READERS = ["text", "interactions", "numeric", "categorical", "na"];
const TABLE = 2, WITH_OTHERS = 3, NUMBERED = 4, NUMBERED_WITH_OTHERS = 5; // states of a schema
const SCALED = 16, SPARSE = 5; // of the kind of a column
const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

// The model in the bytes of a file. An Error says what is wrong with a file that is damaged, or that this module does
// not know how to use.
export function load(data) {
  const isView = ArrayBuffer.isView(data);
  const bytes = isView ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
  const digitsAt = 8 + START.length;
  if (ascii(bytes, 8, digitsAt) !== START) throw new Error("not a model file of wmsketch");
  const blank = bytes.slice();
  blank.fill(48, digitsAt, digitsAt + 64);
  if (ascii(bytes, digitsAt, digitsAt + 64) !== sha256(blank))
    throw new Error("the model file is damaged or cut short");
  try {
    return opened(bytes);
  } catch (problem) {
    if (problem.constructor === Error) throw problem;
    throw new Error(`the model file is damaged: ${problem.message}`); // made up, with a checksum that fits
  }
}

function opened(bytes) {
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerLength(bytes))));
  const saved = documentOf(header.__metadata__.wmsketch);
  if (saved.version !== VERSION)
    throw new Error(`the model file has format version ${saved.version}; this module reads ${VERSION}`);
  return modelOf(saved, arraysOf(header, bytes));
}

const ascii = (bytes, begin, end) => String.fromCharCode(...bytes.subarray(begin, end));

function headerLength(bytes) {
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (8 + length > bytes.length) throw new Error("the model file is damaged: its header does not fit");
  return length;
}

function sha256(bytes) {
  const words = new Int32Array(64), padded = new Uint8Array((bytes.length + 72) & ~63);
  const view = new DataView(padded.buffer);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  view.setBigUint64(padded.length - 8, 8n * BigInt(bytes.length));
  const turned = (x, n) => (x >>> n) | (x << (32 - n));
  let state = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; ++i) words[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; ++i) {
      const a = words[i - 15], b = words[i - 2], old = words[i - 16] + words[i - 7];
      words[i] = old + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; ++i) {
      const mixed = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const first = (mixed + ROUND_CONSTANTS[i] + words[i]) | 0;
      const second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
    }
    state = [a, b, c, d, e, f, g, h].map((x, i) => (x + state[i]) | 0);
  }
  return state.map((x) => (x >>> 0).toString(16).padStart(8, "0")).join("");
}

// JSON whose integers may have 64 bits: a long one is a BigInt.
function documentOf(text) {
  const quoted = (token) => (token[0] === '"' ? token : `"\\u0001${token}"`);
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, quoted);
  return JSON.parse(marked, (_, value) => (/^\u0001-?\d{16,}$/.test(value) ? BigInt(value.slice(1)) : value));
}

function arraysOf(header, bytes) {
  const begin = 8 + headerLength(bytes), arrays = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const { dtype, shape: [count], data_offsets: [first, last] } = entry;
    if (!(first >= 0 && begin + last <= bytes.length && last - first === count * ARRAYS[dtype]?.BYTES_PER_ELEMENT))
      throw new Error(`the model file is damaged: the array ${name} does not lie at bytes ${first} to ${last}`);
    arrays[name] = new ARRAYS[dtype](bytes.slice(begin + first, begin + last).buffer);
  }
  return arrays;
}

function* splitmix64(seed) {
  for (let state = seed; ; ) {
    state = (state + 0x9e3779b97f4a7c15n) & LOW;
    let z = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & LOW;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & LOW;
    yield z ^ (z >> 31n);
  }
}

// The columns of a table: name to scale.
function columnsOf(arrays) {
  const columns = new Map(), text = new TextDecoder("utf-8", { ignoreBOM: true });
  let begin = 0, scale = 0;
  for (const [i, end] of arrays.schema_name_ends.entries()) {
    const kind = arrays.schema_kinds[i], isScaled = (kind & SCALED) !== 0, fromZero = (kind & 15) === SPARSE;
    const [count, mean, squares] = isScaled ? arrays.schema_scales.subarray(3 * scale++, 3 * scale) : [0, 0, 0];
    const variance = count > 0 ? squares / count : 0;
    columns.set(text.decode(arrays.schema_names.subarray(begin, end)), {
      isScaled, fromZero, count, mean,
      zero: fromZero ? 0 : mean,
      unit: Math.sqrt(fromZero ? variance + mean * mean : variance),
      most: count >= 10 && squares > 0 ? 10000 * squares : Infinity, // of an absurd number: squared distance * count
    });
    begin = end;
  }
  return columns;
}

// What can be used, or an Error that says why not.
function require(saved, arrays) {
  const { config, labels } = saved, isNumber = "target_mean" in arrays;
  const refuse = (why) => {
    throw new Error(`the model cannot be used here: ${why}`);
  };
  if (saved.class !== "AWMSketch" && saved.class !== "AWMRegressor")
    refuse(`its class is ${saved.class}, not AWMSketch or AWMRegressor`);
  if (config === null || (!isNumber && !labels?.classes)) refuse("it has not learned yet");
  if (config.depth !== 1 || config.hash_family !== "mixer")
    refuse("it does not have depth 1 and the hash family mixer");
  if ("held_starts" in arrays) refuse("it has seen fewer than ten rows");
  const schema = Object.fromEntries(saved.parameters.schema?.pairs ?? []);
  const rules = RULES_OF_READERS.filter((rule) => schema[rule] && schema[rule].length !== 0);
  if (schema.missing === "count") rules.push("missing");
  if (rules.length > 0) refuse(`it has rules of readers: ${rules.join(", ")}`);
  const { active_set_size: size, width, exact_set: exactSet } = config, keys = arrays.active_keys?.length;
  const slots = arrays[config.step === "adaptive" ? "active_slots" : "active_weights"]?.length;
  const fits = slots === size && (exactSet ? keys <= size : keys === size);
  if (!fits || arrays.cells?.length !== width || (arrays.tags?.length ?? width) !== width)
    throw new Error("the model file is damaged: its arrays do not have the lengths that it states");
  return schema;
}

const fold = (a, b) => {
  const product = a * b;
  return (product & LOW) ^ (product >> 64n);
};
const bucket = (h, n) => Number((BigInt(h) * BigInt(n)) >> 32n);

function float(bits) {
  BITS.setUint32(0, bits >>> 0);
  return BITS.getFloat32(0);
}

// exp of a number from -700 to 700, with the same bits on every machine.
function exp(given) {
  const x = Math.max(given, -700), round = 6755399441055744;
  const rounded = x * 1.4426950408889634 + round, k = rounded - round;
  const r = x - k * 0.6931471805582987 - k * 1.6465949582897082e-12, r2 = r * r, r4 = r2 * r2;
  const low = 1 + r + r2 * (1 / 2 + r * (1 / 6));
  const middle = 1 / 24 + r * (1 / 120) + r2 * (1 / 720 + r * (1 / 5040));
  const high = 1 / 40320 + r * (1 / 362880);
  BITS.setFloat64(0, rounded);
  BITS.setBigUint64(0, ((BITS.getBigUint64(0) + 1023n) << 52n) & LOW);
  return (low + r4 * (middle + r4 * high)) * BITS.getFloat64(0);
}

function within(value, most) {
  return Math.min(Math.max(value, -most), most);
}

function modelOf(saved, arrays) {
  const schema = require(saved, arrays), { config } = saved, state = arrays.schema_state?.[0] ?? 0;
  const columns = state >= TABLE ? columnsOf(arrays) : null;
  const shrinksOthers = state === WITH_OTHERS && schema.numbers !== "raw", boundsOthers = state === NUMBERED;
  const isNumbered = state === NUMBERED || state === NUMBERED_WITH_OTHERS;
  const exactSet = config.exact_set, adaptive = config.step === "adaptive"; // then cells have owners, known by tags
  const { active_keys: keys, cells, tags } = arrays, slots = adaptive ? arrays.active_slots : arrays.active_weights;
  const [scale, bias, threshold] = [arrays.scale[0], arrays.bias[0], fround(arrays.threshold[0])];
  const draws = splitmix64(BigInt(config.name_seed) ^ 0x243f6a8885a308d3n);
  const secret = [0, 0, 0].map(() => draws.next().value);
  const bits = splitmix64(BigInt(config.seed)).next().value;
  const mixer = [Number(bits & 0xffffffffn), Number(bits >> 32n)];

  // The key of a feature's name, such as "minutes" or "city=Rome".
  function keyOf(name) {
    const text = new TextEncoder().encode(name);
    const word = (at, size) => {
      let value = 0n;
      for (let i = size - 1; i >= 0; --i) value = (value << 8n) | BigInt(text[at + i]);
      return value;
    };
    let at = 0, left = text.length, mixed = secret[0], low = 0n, high = 0n;
    for (; left > 16; at += 16, left -= 16) mixed = fold(word(at, 8) ^ secret[1], word(at + 8, 8) ^ mixed);
    if (left >= 4) {
      const size = left >= 8 ? 8 : 4;
      low = word(at, size);
      high = word(at + left - size, size);
    } else if (left > 0) {
      low = BigInt((text[at] << 16) | (text[at + (left >> 1)] << 8) | text[at + left - 1]);
    }
    mixed = fold(low ^ secret[1], high ^ mixed);
    return Number(fold(mixed ^ secret[2], BigInt(text.length) ^ secret[1]) >> 32n);
  }

  function hash(key) {
    let h = (key + mixer[0]) >>> 0;
    h = (imul(h ^ (h >>> 16), 0x7feb352d) + mixer[1]) >>> 0;
    h = imul(h ^ (h >>> 15), 0x846ca68b);
    return (h ^ (h >>> 16)) >>> 0;
  }

  const slot = (i) => (adaptive ? float(slots[i] & 0xfffff000) : slots[i]);
  function cell(i) {
    if (!adaptive) return cells[i];
    const code = (cells[i] >> 4) & 0x7ff;
    return code === 0 ? 0 : float(((cells[i] & 0x8000) << 16) | ((107 << 23) + (code << 17)));
  }

  function raw(key) {
    const h = hash(key);
    const first = exactSet ? 0 : 8 * bucket(imul(h, 0x9e3779b1) >>> 0, keys.length / 8);
    const last = exactSet ? keys.length : first + 8;
    for (let i = first; i < last; ++i) if (keys[i] === key) return slot(i);
    if (adaptive) {
      const tag = (h & 255) || 1, begin = 8 * bucket(h, cells.length / 8);
      for (let i = begin; i < begin + 8; ++i) if (tags[i] === tag) return cell(i);
      return 0;
    }
    const value = cell(bucket(h, cells.length));
    return h & 1 ? -value : value;
  }

  // Towards zero by the threshold of l1.
  function soft(value) {
    const kept = Math.max(fround(Math.abs(value) - threshold), 0);
    return value < 0 || Object.is(value, -0) ? -kept : kept;
  }

  function scaled(known, value) {
    if (!known?.isScaled) return fround(shrinksOthers ? value / (1 + Math.abs(value)) : boundsOthers ? within(value, 1) : value);
    const { zero, unit, count, mean, most } = known;
    if ((value - mean) * (value - mean) * count > most) return 0; // absurd, as good as missing
    if (!(unit > 0)) return mean === 1 && value === 1 ? 1 : 0;
    return fround(within((value - zero) / unit, 10));
  }

  // Features by number. A column that the row lacks is 0, one that is NaN is missing.
  function numbered(row, add) {
    for (const [key, value] of row) {
      const known = columns.get(String(key));
      if (!Number.isNaN(value) && (value !== 0 || !known?.fromZero)) add(key, scaled(known, value));
    }
    for (const [name, known] of columns)
      if (!known.fromZero && !row.has(Number(name))) add(Number(name), scaled(known, 0));
  }

  function featuresOf(row) {
    const sums = new Map();
    const add = (key, value) => sums.set(key, sums.has(key) ? fround(sums.get(key) + value) : value);
    if (Array.isArray(row) || ArrayBuffer.isView(row)) row = new Map(row.entries());
    if (row instanceof Map) {
      if (isNumbered) numbered(row, add);
      else for (const [key, value] of row) add(typeof key === "string" ? keyOf(key) : key, fround(value));
      return sums;
    }
    if (isNumbered) throw new TypeError("the model has features by number: a row must be a Map or an array");
    for (const [column, value] of Object.entries(row)) {
      const known = columns?.get(column);
      if (columns !== null && state !== WITH_OTHERS && known === undefined) continue; // was not learned
      if (value === null || value === undefined || value === "" || Number.isNaN(value)) continue;
      if (typeof value === "number") add(keyOf(column), scaled(known, value));
      else if (typeof value === "string" || typeof value === "boolean") add(keyOf(`${column}=${value}`), 1);
      else throw new TypeError(`the value of ${column} must be a number, a string or a boolean, got ${typeof value}`);
    }
    return sums;
  }

  function margin(row) {
    const sums = new Float32Array(8);
    let i = 0;
    for (const [key, value] of featuresOf(row)) sums[i++ % 8] += fround(soft(raw(key)) * value);
    for (let lane = 0; lane < 4; ++lane) sums[lane] += sums[lane + 4];
    return scale * fround(fround(sums[0] + sums[2]) + fround(sums[1] + sums[3])) + bias;
  }

  const keyed = (feature) => (typeof feature === "string" ? keyOf(feature) : feature);
  const weighing = (unit) => (feature) => unit * scale * soft(raw(keyed(feature)));

  if ("target_mean" in arrays) {
    const poisson = config.loss === "poisson", centre = arrays.target_mean[0];
    const unit = arrays.target_unit[0] > 0 ? arrays.target_unit[0] : 1; // 0 until two targets differ
    const predict = (row) => {
      const sum = margin(row);
      return poisson ? centre * exp(Math.min(Math.max(sum, -20), 20)) : centre + unit * sum;
    };
    return { predict, margin, weight: weighing(poisson ? 1 : unit), keyOf };
  }
  const labels = saved.labels.classes, calibration = arrays.calibration_scale?.[0] ?? 1;
  const predict = (row) => labels[margin(row) >= 0 ? 1 : 0];
  const probability = (row) => {
    const shown = margin(row) * calibration, e = exp(-Math.abs(shown));
    return (shown >= 0 ? 1 : e) / (1 + e);
  };
  return { labels, predict, probability, margin, weight: weighing(1), keyOf };
}
