#!/usr/bin/env python3
"""Small files in the IDX format, to try bench/synthetic/figures where no real ones are: idx.py FOLDER

Ten classes of 8 x 8 images, each a blurred pattern of its own with noise; 2000 to train on, 500 to test on.
"""
import os
import random
import struct
import sys

SIDE, CLASSES = 8, 10


def image(pattern):
    return bytes(min(255, max(0, round(x + random.gauss(0, 60)))) for x in pattern)


def write(folder, which, patterns, count):
    labels = [random.randrange(CLASSES) for _ in range(count)]
    with open(f"{folder}/{which}-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, SIDE, SIDE))
        for label in labels:
            file.write(image(patterns[label]))
    with open(f"{folder}/{which}-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + bytes(labels))


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    random.seed(1)
    patterns = [[random.choice([100, 120, 140, 160]) for _ in range(SIDE * SIDE)] for _ in range(CLASSES)]
    write(folder, "train", patterns, 2000)
    write(folder, "t10k", patterns, 500)


if __name__ == "__main__":
    main()
